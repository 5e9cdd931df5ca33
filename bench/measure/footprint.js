import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../statistics.js'

const BENCH = fileURLToPath(new URL('..', import.meta.url))
const ROOT = dirname(dirname(join(BENCH, 'package.json')))

const LOADS = {
  'passport-social-login': { folder: ROOT, code: "require('./dist/lib/index.js')" },
  'passport-oauth2': { folder: BENCH, code: "require('passport-oauth2')" },
  undici: { folder: BENCH, code: "require('undici')" },
  'passport-oauth2 + undici': { folder: BENCH, code: "require('passport-oauth2'); require('undici')" },
}

const isTypes = (name) => /\.d\.[cm]?ts$/.test(name)

/** Milliseconds to load, and what is installed: packages with their dependencies, and their bytes, without types. */
export function measureFootprint({ rounds }) {
  const milliseconds = Object.fromEntries(Object.keys(LOADS).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, { folder, code }] of Object.entries(LOADS)) milliseconds[name].push(loadTime(folder, code))
  }
  const ours = installed(ROOT, [''])
  const peers = installed(BENCH, ['node_modules/passport-oauth2', 'node_modules/undici'])
  return {
    loadMs: Object.fromEntries(Object.entries(milliseconds).map(([name, values]) => [name, median(values)])),
    installed: { 'passport-social-login': ours, 'passport-oauth2 + undici': peers },
  }
}

function loadTime(folder, code) {
  const script = `const t = performance.now(); ${code}; process.stdout.write(String(performance.now() - t))`
  return Number(execFileSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' }))
}

/** Follows the lock file from the given packages through all that npm installs for them. */
function installed(folder, names) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    for (const name of Object.keys(packages[path].dependencies ?? {})) visit(resolve(packages, path, name))
  }
  names.forEach(visit)
  const sizes = Array.from(found, (path) => bytesOf(folder, path))
  return { packages: found.size, bytes: sizes.reduce((a, b) => a + b, 0) }
}

/** Where Node finds a dependency: in the nearest node_modules on the way up. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder && `${folder}/`}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') throw new Error(`${name} is not in the lock file`)
  }
}

function bytesOf(folder, path) {
  // Of our own folder only what is published.
  return path === '' ? publishedBytes() : sizeOf(join(folder, path))
}

/** Packs as `npm publish` would: without source maps. */
function publishedBytes() {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT, encoding: 'utf8' })
  // What the scripts print comes first.
  const [{ files }] = JSON.parse(output.slice(output.indexOf('[\n')))
  return files.filter(({ path }) => !isTypes(path)).reduce((sum, { size }) => sum + size, 0)
}

function sizeOf(path) {
  if (!existsSync(path)) return 0
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.size
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && !isTypes(name))
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
