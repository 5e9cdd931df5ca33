import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Browser } from '../../support/browser'
import { approve } from '../../support/doctor'
import { freePort } from '../../support/free-port'

const root = join(__dirname, '../../../..')
const README = readFileSync(join(root, 'README.md'), 'utf8')
const COMMANDS = Array.from(README.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, command = '']) => command.trim())

/** A folder in which the packages are installed as by the first command of the README. */
let folder: string
const running: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(root, 'dist', 'quick-start-'))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules', 'passport-social-login'))
  const bin = join(folder, 'node_modules/.bin/passport-social-login')
  writeFileSync(bin, `#!/bin/sh\nexec ${process.execPath} ${join(root, 'dist/lib/cli.js')} "$@"\n`, { mode: 0o755 })
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  rmSync(folder, { recursive: true })
})

/** Starts a command of the README, and resolves with its first output. */
async function start(command: string): Promise<string> {
  const program = command.replace(/^npx /, 'exec node_modules/.bin/').replace(/^node /, `exec ${process.execPath} `)
  const child = spawn('sh', ['-c', program], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${command} ended with ${code}`)))
  const [output] = await Promise.race([once(child.stdout, 'data'), ended])
  return String(output)
}

test('the commands of the quick start end in a login', async () => {
  const [port, providerPort] = [await freePort(), await freePort()].map(String)
  const atFreePorts = (command: string): string =>
    command.replaceAll('3000', `${port}`).replaceAll('4400', `${providerPort}`)
  const [install = '', provider = '', run = ''] = COMMANDS.map(atFreePorts)
  // Everything but the installation.
  const [, copyAndConfigure = ''] = /^npm install .*\n([\s\S]*)$/m.exec(install) ?? []
  execFileSync('sh', ['-c', copyAndConfigure], { cwd: folder })
  await start(`${provider} --port ${providerPort}`)
  expect(await start(run)).toContain(`http://localhost:${port}`)

  const [ada, origin] = [new Browser(), `http://localhost:${port}`]
  const link = /href="([^"]+)">Sign in</.exec((await ada.request(origin)).body)?.[1] ?? 'none'
  const { location } = await ada.follow(origin + link)
  const [, providerOrigin = '', appID = ''] = /^(.*)\/api\/oauth\?app_id=([\w-]+)$/.exec(location) ?? []
  expect([providerOrigin, appID]).toStrictEqual([`http://127.0.0.1:${providerPort}`, 'my-app'])
  const { location: page } = await ada.comeBack(await approve({ origin: providerOrigin }, { appID }, '1'))
  const shown = (await ada.follow(origin + page)).body
  expect(shown).toBe('{"id":"1","name":"Ada Lovelace"}')
  expect(README).toContain(`\`${shown}\``)
})
