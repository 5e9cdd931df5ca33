import assert from 'node:assert/strict'
import { browser, play } from './driver.cjs'
import { serveWorker } from './worker.mjs'

/** Nothing serves the page's own scripts here: the link is a plain one. */
const NO_SCRIPTS = 'Failed to '

await play(
  async (provider, { origin, port }) => {
    const bindings = {
      SOCIAL_BASE_URL: provider.baseURL,
      SOCIAL_CLIENT_ID: provider.clientID,
      SOCIAL_CLIENT_SECRET: provider.clientSecret,
      SOCIAL_CALLBACK_URL: `${origin}/callback`,
      LOGIN_COOKIE_KEY: 'cookie-key-of-at-least-32-characters',
    }
    const server = await serveWorker('.svelte-kit/cloudflare/_worker.js', { port, bindings })
    assert.match((await browser(server.port)('/', {})).body, /<a href="\/auth"/)
    return { ...server, isElsewhere: true }
  },
  '/auth?next=/inbox',
  { noted: NO_SCRIPTS },
)
