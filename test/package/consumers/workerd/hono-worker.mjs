import { env } from 'cloudflare:workers'
import { createApp } from './hono-app.mjs'

// biome-ignore lint/style/noDefaultExport: workerd wants one.
export default createApp(env.PROVIDER, env.ORIGIN)
