// Packs the package, installs the tarball in every project of this folder, and plays a whole login in each.
//
//   npm run test:consumers                                      all consumers, with this Node
//   npm run test:consumers -- koa fastify                       some of them
//   npm run test:consumers -- --runtimes 20,22,24,26,bun,deno   with other runtimes, fetched from npm (Linux x64)
//   npm run test:consumers -- --runtimes 22 --suite             and the package's own tests, without those of a browser
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { insertBlocks } from '../../../tools/snippets.mjs'
import { fetchRuntimes, installProject, npm, run } from './runtimes.mjs'

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname
const root = join(here, '..', '..', '..')
const AT_ONCE = 2
const SHARED = [
  'app.cjs',
  'chromium.cjs',
  'driver.cjs',
  'driver.d.cts',
  'hono-app.mjs',
  'person.cjs',
  'session.mjs',
  'web-app.mjs',
  'worker.mjs',
]
const OWN_SUITE = '(own suite)'
// By the driver, or by jest or vitest.
const FINISHED = /^ok$|^ *Tests:? +\d+ passed/m

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runtimes: { type: 'string' }, suite: { type: 'boolean' } },
})

const folder = mkdtempSync(join(tmpdir(), 'passport-social-login-consumers-'))
try {
  const failed = await main()
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main() {
  const runtimes = await fetchRuntimes(values.runtimes?.split(',') ?? [])
  const names = consumers().filter((name) => positionals.length === 0 || positionals.includes(name))
  if (names.length === 0) throw new Error(`There is no such consumer; there are: ${consumers().join(', ')}`)
  const tarball = await pack()
  const rows = await inTurn(names, async (name) => [name, await install(name, tarball)])
  const results = new Map()
  for (const runtime of runtimes) {
    await inTurn(rows, async ([name, problem]) => {
      const { only = runtime.name } = manifest(name)
      if (only !== runtime.name) return
      results.set(`${name} ${runtime.title}`, problem ? { problem } : await play(name, runtime))
    })
    if (values.suite && runtime.name === 'node') results.set(`${OWN_SUITE} ${runtime.title}`, await ownSuite(runtime))
  }
  return print([...names, ...(values.suite ? [OWN_SUITE] : [])], runtimes, results)
}

function consumers() {
  return readdirSync(here).filter((name) => existsSync(join(here, name, 'package.json')))
}

/** A consumer that is "like" another has its files and its manifest, but for what it has itself. */
function manifest(name) {
  const own = JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8'))
  const { dependencies, ...others } = own.like ? manifest(own.like) : {}
  return { ...others, ...own, dependencies: { ...dependencies, ...own.dependencies } }
}

async function pack() {
  await npm(root, 'run', 'build')
  await npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
}

/** Resolves with what went wrong, or nothing. */
async function install(name, tarball) {
  const place = join(folder, name)
  const { like = name } = manifest(name)
  for (const source of [like, name]) cpSync(join(here, source), place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest(name)))
  for (const file of SHARED) cpSync(join(here, file), join(place, file))
  insertBlocks(place)
  try {
    await installProject(place, tarball, manifest(name))
    if (manifest(name).scripts.build) await npm(place, 'run', 'build')
  } catch (error) {
    return String(error)
  }
}

/** Runs the commands of the start script with a runtime in the place of `node`. */
function play(name, runtime) {
  const { scripts, denoFlags = [] } = manifest(name)
  const flags = [...runtime.flags, ...(runtime.name === 'deno' ? denoFlags : [])]
  return attempt(async () => {
    for (const command of scripts.start.split(' && ')) {
      const args = command.split(' ').slice(1)
      const output = await run(runtime.command, join(folder, name), [...flags, ...args], { PACKAGE_ROOT: root })
      // A runtime that finds nothing left to wait for exits without an error.
      if (!FINISHED.test(output)) throw new Error(`${args.join(' ')} ended early\n${output}`)
    }
  })
}

function ownSuite({ command }) {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  return attempt(() => run(command, root, [jest, '--testPathIgnorePatterns', '/browsers/']))
}

async function attempt(work) {
  const begun = performance.now()
  const problem = await work().then(() => undefined, String)
  return { problem, seconds: (performance.now() - begun) / 1000 }
}

async function inTurn(items, work) {
  const waiting = items.entries()
  const results = []
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

function print(names, runtimes, results) {
  const cell = (result) => {
    if (!result) return '-'
    return result.problem ? 'FAILED' : `ok ${result.seconds.toFixed(1)} s`
  }
  const line = (words) => words.map((word) => word.padEnd(18)).join('')
  console.log(line(['consumer', ...runtimes.map(({ title }) => title)]))
  for (const name of names) {
    console.log(line([name, ...runtimes.map(({ title }) => cell(results.get(`${name} ${title}`)))]))
  }
  const problems = Array.from(results).filter(([, { problem }]) => problem)
  for (const [where, { problem }] of problems) console.log(`\n${where}\n${problem}`)
  console.log(`${results.size - problems.length} passed, ${problems.length} failed`)
  return problems.length
}
