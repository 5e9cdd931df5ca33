import { createServer } from 'node:http'
import { play } from './driver.cjs'
import { environmentFor } from './session.mjs'

await play(async (provider, { origin }) => {
  Object.assign(process.env, environmentFor(provider, origin))
  const { listener } = await import('./.output/server/index.mjs')
  return createServer(listener)
}, '/auth?next=/inbox')
