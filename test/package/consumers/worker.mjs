// Bundles a Worker as wrangler does, and serves it in workerd. Copied beside the main file of each consumer that needs it.
import assert from 'node:assert/strict'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

/** Of what Node has and a Worker may have not. */
const FORBIDDEN = /undici|node:(net|tls|dns|http|https|dgram|fs)\b/

// Of wrangler: an ES module has no `require`, by which CommonJS would load what the platform has of Node.
const builtins = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'builtin' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      return { contents: `import builtin from '${path}'\nmodule.exports = builtin` }
    })
  },
}

/** @returns the code of the Worker in one file */
export async function bundle(entry, minify = false) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [builtins],
    metafile: true,
    write: false,
  })
  const used = [...Object.keys(metafile.inputs), ...Object.values(metafile.outputs)[0].imports.map(({ path }) => path)]
  assert.deepEqual(
    used.filter((name) => FORBIDDEN.test(name)),
    [],
  )
  return outputFiles[0].text
}

const WORKER = { modules: true, compatibilityDate: '2026-07-01', compatibilityFlags: ['nodejs_compat'] }

/** @param options further options of Miniflare, such as bindings */
export async function serveWorker(entry, options = {}) {
  // Not as `script`, in which Miniflare refuses an import of a name that is computed.
  const modules = [{ type: 'ESModule', path: 'worker.mjs', contents: await bundle(entry) }]
  const server = new Miniflare({ ...WORKER, modules, host: '127.0.0.1', port: 0, ...options })
  const { port } = await server.ready
  return { port: Number(port), close: () => server.dispose() }
}

/** Serves several Workers, each on a port of its own. */
export async function serveWorkers(workers) {
  const socket = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }
  const server = new Miniflare({ workers: workers.map((worker) => ({ ...WORKER, ...socket, ...worker })) })
  const addresses = await Promise.all(workers.map(({ name }) => server.unsafeGetDirectURL(name)))
  return { ports: addresses.map(({ port }) => Number(port)), close: () => server.dispose() }
}
