import { createServer } from 'node:http'
import next from 'next'
import { play } from './driver.cjs'
import { environmentFor } from './session.mjs'

const createApp = async (provider, { origin }) => {
  Object.assign(process.env, environmentFor(provider, origin))
  const app = next({ dev: false, dir: import.meta.dirname })
  await app.prepare()
  return createServer(app.getRequestHandler())
}

// Next keeps timers, and handles what nobody catches.
play(createApp, '/auth?next=/inbox', { prefetches: true, hasWalls: true }).then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
