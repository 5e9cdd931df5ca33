import assert from 'node:assert/strict'
import { play } from './driver.cjs'
import { bundle, serveWorker } from './worker.mjs'

const bytes = Buffer.byteLength(await bundle('size.mjs', true))
console.log(`minified: ${bytes} bytes`)
assert.ok(bytes <= 150_000)

await play(async (provider, { origin, port }) => {
  const bindings = { PROVIDER: provider, ORIGIN: origin }
  return { ...(await serveWorker('hono-worker.mjs', { port, bindings })), isElsewhere: true }
}, '/auth?next=/inbox')
