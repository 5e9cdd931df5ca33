import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin }) => {
  const respond = createApp(provider, origin)
  // Quoted: node:http
  const server = createServer(getRequestListener(respond)) // of @hono/node-server
  // end
  return server
}, '/auth?next=/inbox')
