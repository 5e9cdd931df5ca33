import { createServer } from 'node:http'
import { play } from './driver.cjs'

await play(async (provider, { origin }) => {
  Object.assign(process.env, {
    ORIGIN: origin,
    SOCIAL_BASE_URL: provider.baseURL,
    SOCIAL_CLIENT_ID: provider.clientID,
    SOCIAL_CLIENT_SECRET: provider.clientSecret,
    SOCIAL_CALLBACK_URL: `${origin}/callback`,
    LOGIN_COOKIE_KEY: 'cookie-key-of-at-least-32-characters',
  })
  // Reads the variables when it is loaded.
  const { handler } = await import('./build/handler.js')
  return createServer(handler)
}, '/auth?next=/inbox')
