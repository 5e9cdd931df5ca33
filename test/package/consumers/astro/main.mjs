import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { play } from './driver.cjs'
import { environmentFor } from './session.mjs'

/** The browser's notes of what the prefetch and the router are answered, after which Astro navigates. */
const NOTED = 'Failed to load resource'

await play(
  async (provider, { origin }) => {
    Object.assign(process.env, environmentFor(provider, origin))
    const { handler } = await import('./dist/server/entry.mjs')
    return createServer(async (req, res) => {
      const { pathname } = new URL(req.url, origin)
      if (!pathname.startsWith('/_astro/')) return handler(req, res)
      const file = join(import.meta.dirname, 'dist/client', pathname)
      res.setHeader('Content-Type', 'text/javascript').end(await readFile(file))
    })
  },
  '/auth?next=/inbox',
  { prefetches: true, noted: NOTED },
)
