import { createServer } from 'node:http'
import next from 'next'
import { play } from './driver.cjs'

const createApp = async (provider, { origin }) => {
  Object.assign(process.env, {
    SOCIAL_BASE_URL: provider.baseURL,
    SOCIAL_CLIENT_ID: provider.clientID,
    SOCIAL_CLIENT_SECRET: provider.clientSecret,
    SOCIAL_CALLBACK_URL: `${origin}/callback`,
    LOGIN_COOKIE_KEY: 'cookie-key-of-at-least-32-characters',
  })
  const app = next({ dev: false, dir: import.meta.dirname })
  await app.prepare()
  return createServer(app.getRequestHandler())
}

// Next keeps timers, and handles what nobody catches.
play(createApp, '/auth?next=/inbox', true).then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
