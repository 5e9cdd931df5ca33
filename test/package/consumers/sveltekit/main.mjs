import { createServer } from 'node:http'
import { play } from './driver.cjs'
import { environmentFor } from './session.mjs'

await play(async (provider, { origin }) => {
  Object.assign(process.env, { ORIGIN: origin, ...environmentFor(provider, origin) })
  // Reads the variables when it is loaded.
  const { handler } = await import('./build/handler.js')
  return createServer(handler)
}, '/auth?next=/inbox')
