import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin }) => {
  const respond = createApp(provider, origin)
  // docs/web.md#next-sveltekit-or-no-framework, block 4
  return server
}, '/auth?next=/inbox')
