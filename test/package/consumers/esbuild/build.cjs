// Bundles the application into one file, plain, minified and as an ES module, and removes everything that the bundle must not need.
const { rmSync } = require('node:fs')
const { buildSync } = require('esbuild')

const bundle = { entryPoints: ['main.cjs'], bundle: true, platform: 'node', format: 'cjs', target: 'node20' }
buildSync({ ...bundle, outfile: 'bundle.cjs' })
buildSync({ ...bundle, outfile: 'minified.cjs', minify: true })
// The banner of docs/errors.md, row "Dynamic require".
const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
buildSync({ ...bundle, format: 'esm', outfile: 'bundle.mjs', banner: { js } })
for (const name of ['node_modules', 'main.cjs', 'app.cjs', 'driver.cjs']) rmSync(name, { recursive: true })
