import { createAdaptorServer } from '@hono/node-server'
import { play } from './driver.cjs'
import { createApp } from './hono-app.mjs'

await play(
  (provider, { origin }) => createAdaptorServer({ fetch: createApp(provider, origin).fetch }),
  '/auth?next=/inbox',
)
