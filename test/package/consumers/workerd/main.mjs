import assert from 'node:assert/strict'
import { sameOriginNavigation } from 'passport-social-login/testing'
import { browser, play } from './driver.cjs'
import { environmentFor } from './session.mjs'
import { bundle, serveWorker } from './worker.mjs'

const bytes = Buffer.byteLength(await bundle('size.mjs', true))
console.log(`minified: ${bytes} bytes`)
// Two fifths of it are jose and the table of entities. A change that goes over this says why, or makes something smaller.
assert.ok(bytes <= 186_000, `the Worker has ${bytes} bytes`)

const registered = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 'secret' }
const bindings = { ...environmentFor(registered, 'https://app.example'), SESSION_SECRET: 'session-secret' }
const wholeFile = await serveWorker('app.ts', { bindings })
assert.equal((await browser(wholeFile.port)('/', {})).body, '<a href="/auth">Sign in</a>')
const { headers } = await browser(wholeFile.port)('/auth', sameOriginNavigation)
assert.equal(headers.location, 'https://social.example/api/oauth?app_id=id')
await wholeFile.close()

await play(async (provider, { origin, port }) => {
  const bindings = { PROVIDER: provider, ORIGIN: origin }
  return { ...(await serveWorker('hono-worker.mjs', { port, bindings })), isElsewhere: true }
}, '/auth?next=/inbox')
