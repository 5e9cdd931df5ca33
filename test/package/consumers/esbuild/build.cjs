// Bundles the application into one file, plain and minified, and removes everything that the bundle must not need.
const { rmSync } = require('node:fs')
const { buildSync } = require('esbuild')

const bundle = { entryPoints: ['main.cjs'], bundle: true, platform: 'node', format: 'cjs', target: 'node20' }
buildSync({ ...bundle, outfile: 'bundle.cjs' })
buildSync({ ...bundle, outfile: 'minified.cjs', minify: true })
for (const name of ['node_modules', 'main.cjs', 'app.cjs', 'driver.cjs']) rmSync(name, { recursive: true })
