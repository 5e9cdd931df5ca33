import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { play } from './driver.cjs'
import { environmentFor } from './session.mjs'

await play(async (provider, { origin }) => {
  Object.assign(process.env, { NODE_ENV: 'production', ...environmentFor(provider, origin) })
  // After the variables: React has another build for production.
  const { createRequestListener } = await import('@react-router/node')
  const render = createRequestListener({ build: await import('./build/server/index.js'), mode: 'production' })
  return createServer(async (req, res) => {
    const { pathname } = new URL(req.url, origin)
    if (!pathname.startsWith('/assets/')) return render(req, res)
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/css'
    res.setHeader('Content-Type', type).end(await readFile(join(import.meta.dirname, 'build/client', pathname)))
  })
}, '/auth?next=/inbox')
