import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { printHelp, UsageError } from '../../lib/command-line'
import { runProvider } from '../../lib/testing/command'
import { CLI, runProcess } from '../support/doctor-command'
import { listen } from '../support/listen'
import { ask, post, userMe } from '../support/provider-http'

const folder = mkdtempSync(join(tmpdir(), 'fake-provider-'))
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Why the command refuses these arguments, in this process. */
function refusal(...args: string[]): Promise<string> {
  return runProvider(args).then(
    () => 'they were accepted',
    (error: unknown) => (error instanceof UsageError ? error.message : 'another error'),
  )
}

/** Starts the command and waits for the last line it prints. */
async function started(...args: string[]): Promise<{ child: ChildProcess; text: string; origin: string }> {
  const child = spawn(process.execPath, [CLI, 'provider', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (/redirect URL|No application/.test(text)) break
  }
  return { child, text, origin: /Fake provider: (\S+)/.exec(text)?.[1] ?? '' }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve))
}

function fileWith(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test.each([
  [[], 'Missing command.'],
  [['server'], 'Unknown command "server".'],
  [['provider '], 'Unknown command "provider ".'],
  [['--port', '0'], 'Unknown command "--port".'],
])('the command line %j is rejected with the reason, and with what there is', async (args, message) => {
  const { code, stdout, stderr } = await runProcess(args)
  expect([code, stdout, stderr.split('\n')]).toStrictEqual([
    2,
    '',
    [
      message,
      '',
      'Commands:',
      expect.stringMatching(/^ {2}provider {2,}\w/),
      expect.stringMatching(/^ {2}doctor {2,}\w/),
      '',
      'passport-social-login COMMAND --help prints the options of a command.',
      '',
      '',
    ],
  ])
})

test('arguments of a command are rejected with the reason', async () => {
  const { code, stderr } = await runProcess(['provider', '--port', 'x'])
  expect([code, stderr]).toStrictEqual([2, '--port takes a whole number from 0 to 65535, not "x"\nTry --help.\n'])
})

const helps = [['--help'], ['provider', '--help'], ['doctor', '--help']]

test.each(helps)('the help of %s %s fits a terminal of 80 columns', async (...args) => {
  const { stdout } = await runProcess(args)
  expect(stdout.split('\n').filter((line) => line.length > 80)).toStrictEqual([])
})

test('help is coloured on a terminal, unless its user wants no colours', () => {
  const printed = (isTTY: boolean, env: Readonly<Record<string, string>>): string => {
    const stdout = Object.assign(new PassThrough(), { isTTY })
    printHelp('Usage: it\n\nOptions:\n  --app NAME=URL   --port\n                   or 0\n', { stdout, env })
    return String(stdout.read())
  }
  const plain = 'Usage: it\n\nOptions:\n  --app NAME=URL   --port\n                   or 0\n\n'
  expect([printed(false, {}), printed(true, { NO_COLOR: '1' })]).toStrictEqual([plain, plain])
  expect(printed(true, {})).toBe(
    '\u001b[1mUsage:\u001b[22m it\n\n\u001b[1mOptions:\u001b[22m\n' +
      '\u001b[32m  --app NAME=URL\u001b[39m   --port\n                   or 0\n\n',
  )
})

test('--help shows the commands, and that of the command its options', async () => {
  const { code, stdout } = await runProcess(['--help'])
  expect([code, stdout]).toStrictEqual([0, expect.stringMatching(/^ {2}provider .*\n {2}doctor /m)])
  const help = await runProcess(['provider', '--help'])
  const options = 'port host allow-remote app app-id app-secret name users mode-file mode rate-limit'.split(' ')
  for (const option of options) expect(help.stdout).toMatch(new RegExp(`^ {2}--${option} `, 'm'))
})

test('it prints addresses, ids and secrets that work, and its pages have its --name', async () => {
  const { text, origin } = await started('--app', 'My app=http://localhost:3000/cb?a=b', '--name', 'Chess & Co')
  expect((await ask(`${origin}/`)).text).toContain('<title>Home · Chess &amp; Co</title>')
  expect(text).toContain(`base URL     ${origin}/api/v1`)
  expect(text).toContain('redirect URL http://localhost:3000/cb?a=b')
  const appID = /app_id +(\S+)/.exec(text)?.[1] ?? ''
  const appSecret = /app_secret +(\S+)/.exec(text)?.[1] ?? ''
  expect((await ask(`${origin}/api/oauth?app_id=${appID}`)).text).toContain('My app')
  const refused = await post(`${origin}/api/authorize`, { app_id: appID, app_secret: appSecret, auth_key: 'x' })
  expect(JSON.parse(refused.text).message).toContain('auth_key')
})

test('--app-id and --app-secret stay the same, so that a .env does not age', async () => {
  const mine = ['--app', 'Mine=http://localhost:3000/cb', '--app-id', 'my-id', '--app-secret', 'my-secret']
  const { text, origin } = await started(...mine)
  expect(text).toMatch(/Mine\n {2}app_id +my-id\n {2}app_secret +my-secret\n/)
  const refused = await post(`${origin}/api/authorize`, { app_id: 'my-id', app_secret: 'my-secret', auth_key: 'x' })
  expect(JSON.parse(refused.text).message).toContain('auth_key')
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops it cleanly, even with open connections', async (signal) => {
  const { child, origin } = await started()
  await fetch(origin)
  child.kill(signal)
  expect(await ended(child)).toBe(0)
  await expect(fetch(origin)).rejects.toThrow()
})

test('--mode accepts presets and behaviours, --mode-file those of a JSON file', async () => {
  const statusWith = async (...args: string[]): Promise<number> => {
    const { origin } = await started(...args)
    return (await userMe({ baseURL: `${origin}/api/v1` }, 'x')).status
  }
  expect(await statusWith('--mode', 'as-deployed,errorsAtStatus200=false,tokenLifetime=Infinity')).toBe(401)
  expect(await statusWith('--mode-file', fileWith('site.json', '{"withoutUserMe": true}'))).toBe(404)
})

test('--users accepts a file', async () => {
  const file = fileWith(
    'people.json',
    '[{"user_id": "12345678901234567891", "user_name": "zoe", "user_verified": true}]',
  )
  const { origin } = await started('--users', file)
  const { text } = await ask(`${origin}/users`)
  expect(text).toContain('12345678901234567891')
  expect(text).not.toContain('Lovelace')
})

test.each([
  [['--rate-limit', '0'], '--rate-limit takes a whole number from 1'],
  [['--app', 'My app'], '--app takes "NAME=REDIRECT URL", not "My app"'],
  [['--app-id', 'x'], '--app-id and --app-secret need an --app each'],
  [['--mode', 'tame'], '--mode does not know "tame"'],
  [['--mode', 'wrapUser=x'], 'mode: "wrapUser" has a value it cannot take; it takes user_info, data, false'],
  [['--mode', 'keyLifetime=0'], 'it takes a number above 0'],
  [['--mode', 'getOnly=maybe'], 'it takes true, false'],
  [['--mode-file', '/nowhere.json'], '--mode-file cannot be read: /nowhere.json'],
  [['--mode', 'as-deployed', '--mode-file', 'x.json'], '--mode and --mode-file exclude each other'],
  [['--nonsense'], "Unknown option '--nonsense'"],
  [['--users', '/nowhere.json'], '--users cannot be read: /nowhere.json'],
  [['--host', '0.0.0.0'], '--allow-remote'],
  [['--name', ' '], 'name must have 1 to 200'],
])('bad arguments %j are refused before anything listens', async (args, message) => {
  expect(await refusal(...args)).toContain(message)
})

test.each([
  ['--mode-file', '{', '--mode-file is not JSON'],
  ['--mode-file', '{"nonsense": true}', 'mode: there is no behaviour "nonsense"'],
  ['--mode-file', 'null', "mode must be 'specification', 'as-deployed' or an object of behaviours"],
  ['--users', '{}', 'must hold an array'],
  ['--users', '[1]', 'record 1: a user must be an object'],
  ['--users', '[{"user_name": 5}]', 'record 1: user_name must be a string or null'],
  [
    '--users',
    '[{"user_nick": "x"}]',
    'record 1: there is no field "user_nick"; there are user_id, user_verified, user_name,',
  ],
  ['--users', '[{"user_id": []}]', 'record 1: user_id must be'],
  ['--users', '[{"user_verified": 1}]', 'record 1: user_verified must be'],
])('%s with %s is refused', async (option, text, message) => {
  expect(await refusal(option, fileWith('bad.json', text))).toContain(message)
})

test('a port in use is reported with the option for another one, and exit code 1', async () => {
  await using taken = await listen(undefined, '127.0.0.1')
  const { port } = new URL(taken.origin)
  expect(await runProcess(['provider', '--port', port])).toMatchObject({
    code: 1,
    stderr: `Port ${port} of 127.0.0.1 is taken: choose another by --port, or 0 for a free one\n`,
  })
})

test('an address of another machine is reported with the option for one of this machine, and exit code 1', async () => {
  // Of the addresses that are reserved for documentation.
  const args = ['provider', '--port', '0', '--host', '192.0.2.1', '--allow-remote']
  expect(await runProcess(args)).toMatchObject({
    code: 1,
    stderr: '192.0.2.1 is no address of this machine: choose another by --host\n',
  })
})

test('it listens on 127.0.0.1 and on no other address of this machine', async () => {
  const isOpen = (host: string, { port }: URL): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), host, () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  await using everywhere = await listen(undefined, '0.0.0.0')
  const own = new URL((await started()).origin)
  const hosts = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const others = hosts.map(({ address }) => address).filter((host) => host !== '127.0.0.1' && !host.startsWith('fe80'))
  expect(await isOpen('127.0.0.2', new URL(everywhere.origin))).toBe(true)
  for (const host of ['127.0.0.2', ...others]) expect([host, await isOpen(host, own)]).toStrictEqual([host, false])
  expect(await isOpen('127.0.0.1', own)).toBe(true)
})
