import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../lib/command-line'
import { readDoctorArguments } from '../../lib/doctor/arguments'

// How the doctor reads its command line.

const URL_OF_API = 'https://social.example/api/v1'
const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

const plain = {
  login: false,
  'allow-get': false,
  'spend-twice': false,
  json: false,
  help: false,
  baseURL: new URL(URL_OF_API),
  appID: undefined,
  redirectURL: undefined,
  timeout: 10_000,
}

type Arguments = NonNullable<ReturnType<typeof readDoctorArguments>>

function read(args: readonly string[], environment: Record<string, string> = {}): Partial<Arguments> | undefined {
  const given = readDoctorArguments([URL_OF_API, ...args], environment)
  return given && Object.fromEntries(Object.entries(given))
}

test('an address alone is examined without a login, with a timeout of ten seconds', () => {
  expect(read([])).toEqual({ ...plain, timeout: 10_000 })
})

test('--help is all that is asked for', () => {
  expect(readDoctorArguments(['--help'], {})).toBeUndefined()
  expect(read(['--login', '--help'])).toBeUndefined()
})

const record = join(folder, 'provider.json')
const callback = 'http://localhost:3000/cb'

test.each<[args: string[], environment: Record<string, string>, result: object]>([
  [['--json'], {}, { json: true }],
  [['--allow-get', '--spend-twice'], {}, { 'allow-get': true, 'spend-twice': true }],
  [['--login', '--app-id', 'mine'], {}, { login: true, 'app-id': 'mine', appID: 'mine' }],
  [['--login'], { SOCIAL_CLIENT_ID: 'mine' }, { login: true, appID: 'mine' }],
  [['--app-id', 'mine'], { SOCIAL_CLIENT_ID: 'other' }, { 'app-id': 'mine', appID: 'mine' }],
  [[], { SOCIAL_CLIENT_ID: '', SOCIAL_CALLBACK_URL: '' }, {}],
  [['--redirect-url', callback], {}, { 'redirect-url': callback, redirectURL: callback }],
  [[], { SOCIAL_CALLBACK_URL: callback }, { redirectURL: callback }],
  [
    ['--redirect-url', callback],
    { SOCIAL_CALLBACK_URL: 'https://other.example/cb' },
    { 'redirect-url': callback, redirectURL: callback },
  ],
  [['--timeout', '1'], {}, { timeout: 1000 }],
  [['--timeout', '120'], {}, { timeout: 120_000 }],
  [['--record', record], {}, { record }],
])('%j with the environment %j', (args, environment, result) => {
  expect(read(args, environment)).toEqual({ ...plain, ...result })
})

test.each([
  ['http://social.example/api/v1', 'http://social.example/api/v1'],
  ['https://social.example/v1/', 'https://social.example/v1'],
  ['https://social.example/a/api/v1//', 'https://social.example/a/api/v1'],
])('the address %s is read as %s', (typed, read) => {
  expect(readDoctorArguments([typed], {})?.baseURL.href).toBe(read)
})

const NO_ADDRESS = 'The base URL must be an http(s) address such as https://social.example/api/v1'
const NO_REDIRECT = '--redirect-url must be an absolute http(s) address'
const A_SECRET =
  'A secret is never an argument: others on this machine could read it. Set SOCIAL_CLIENT_SECRET, or wait for the prompt'

test.each<[args: string[], message: string]>([
  [[], 'Missing the base URL, such as https://social.example/api/v1'],
  [['https://a.example/v1', 'https://b.example/v1'], 'One base URL at a time, please'],
  [['https://social.example'], 'The base URL must end in /v1: mostly it is https://social.example/api/v1'],
  [['https://social.example/api/v2'], 'The base URL must end in /v1: mostly it is https://social.example/api/v1'],
  [['https://social.example/api/v1/x'], 'The base URL must end in /v1: mostly it is https://social.example/api/v1'],
  [['https://social.example/api/v1?x=1'], NO_ADDRESS],
  [['https://social.example/api/v1#x'], NO_ADDRESS],
  [['https://ann@social.example/api/v1'], NO_ADDRESS],
  [[`https://${'x'.repeat(300)}.example/v1`], NO_ADDRESS],
  [['file:///etc/passwd/v1'], NO_ADDRESS],
  [['social.example/api/v1'], NO_ADDRESS],
  [['xhttps://social.example/api/v1'], NO_ADDRESS],
  [['httpsx://social.example/api/v1'], NO_ADDRESS],
  [[URL_OF_API, '--login'], '--login needs --app-id, or SOCIAL_CLIENT_ID'],
  [[URL_OF_API, '--redirect-url', '/cb'], NO_REDIRECT],
  [[URL_OF_API, '--redirect-url', 'app://cb'], NO_REDIRECT],
  [[URL_OF_API, '--redirect-url', 'xhttp://localhost/cb'], NO_REDIRECT],
  [[URL_OF_API, '--redirect-url', 'httpx://localhost/cb'], NO_REDIRECT],
  [[URL_OF_API, '--timeout', '0'], '--timeout takes a whole number from 1 to 120, not "0"'],
  [[URL_OF_API, '--timeout', '121'], '--timeout takes a whole number from 1 to 120, not "121"'],
  [[URL_OF_API, '--timeout', '1s'], '--timeout takes a whole number from 1 to 120, not "1s"'],
  [[URL_OF_API, '--timeout', 's1'], '--timeout takes a whole number from 1 to 120, not "s1"'],
  [[URL_OF_API, '--record', '/nowhere/x.json'], '--record names a file in a folder that cannot be written to'],
  [[URL_OF_API, '-secret', 'x'], A_SECRET],
  [[URL_OF_API, '--SECRET', 'x'], A_SECRET],
  [[URL_OF_API, '--app-secret=x'], A_SECRET],
  [[`${URL_OF_API}?app_secret=x`], A_SECRET],
  [[`${URL_OF_API}?a=b&auth_key=x`], A_SECRET],
  [[`${URL_OF_API}?access_token=x`], A_SECRET],
  [['https://user:x@social.example/v1'], A_SECRET],
  [['--app-id', 'the-canary-itself'], A_SECRET],
])('%j are refused', (args, message) => {
  const environment = { SOCIAL_CLIENT_SECRET: 'canary' }
  expect(() => readDoctorArguments(args, environment)).toThrow(new UsageError(message))
})

test.each<string[]>([
  ['https://secret.example/v1'],
  ['https://social.example/x@y/v1'],
  ['https://social.example/x:y@z/v1'],
  ['https://social.example:8443/x@y/v1'],
  [URL_OF_API, '--app-id', 'x-secret'],
  [URL_OF_API, '--app-id=the-secret-society'],
  [URL_OF_API, '--app-id', 'my-app_secret=x'],
])('that name no secret are accepted: %s', (...args) => {
  expect(() => readDoctorArguments(args, { SOCIAL_CLIENT_SECRET: '' })).not.toThrow()
})
