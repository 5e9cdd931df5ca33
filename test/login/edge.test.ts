import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Agent } from 'undici'
import type { OutcomeCode } from '../../lib'
import { FakeProvider, type Fault } from '../../lib/testing'
import * as web from '../../lib/web'
import * as edge from '../../lib/web/edge'
import { useLogins } from '../support/logins'
import { thrownBy } from '../support/outcomes'
import { WebBrowser } from '../support/web-browser'
import { EXCHANGE, profileRequests } from './outcome-row'

/** The build of SocialLogin that sends requests by `fetch`, here in Node. (The table of outcomes is tested in workerd.) */
const ORIGIN = 'https://app.example'
const keys = ['cookie-key-1f0b6d2c9a8e473572-canary']
const CANARY = 'body-canary-77d1'
const okay = 'HTTP/1.1 200 OK\r\n'
const SHORT = 200

const logins = useLogins()

function registered() {
  const callbackURL = `${ORIGIN}/callback`
  const { appID, appSecret } = logins.provider.registerApplication({ name: 'Edge', redirectURL: callbackURL })
  return { baseURL: logins.provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
}

type Options = Partial<web.SocialLoginOptions & web.MultiProviderSocialLoginOptions>

/** As plain JavaScript can: the types of this build are those of the other. */
function newLogin(options: Options | object): edge.SocialLogin {
  return Reflect.construct(edge.SocialLogin, [{ keys, ...options }])
}

/** A whole login. */
async function logIn(login: edge.SocialLogin, appID: string): Promise<web.CallbackResult> {
  const browser = new WebBrowser(ORIGIN)
  const started = await browser.send('/auth', 'same-origin', (request) => login.start(request, { user: null }))
  expect(started.status).toBe(302)
  const key = logins.provider.issueAuthKey({ appID, userID: '1' })
  const headers = { cookie: browser.cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const url = `${ORIGIN}/callback?auth_key=${key}`
  return login.callback(new Request(url, { headers: { ...headers, 'sec-fetch-dest': 'document' } }), { user: null })
}

async function outcomeOf(fault: Fault, endpoint: 'authorize' | 'user/me', timeout = 10_000): Promise<string> {
  const options = registered()
  logins.provider.failNext(endpoint, fault, { times: Number.POSITIVE_INFINITY })
  const result = await logIn(newLogin({ ...options, timeout }), options.clientID)
  expect(JSON.stringify(result)).not.toContain(CANARY)
  return result.type === 'success' || !('code' in result) ? result.type : result.code
}

const requested = (): string[] => logins.provider.requests.map(({ endpoint }) => endpoint)

test('a login succeeds, with the same requests as over connections of Node', async () => {
  const sent = async (login: web.SocialLogin | edge.SocialLogin, appID: string) => {
    logins.provider.clearRequests()
    const result = await logIn(login, appID)
    if (result.type !== 'success') throw new Error(result.type)
    expect(result.profile.displayName).toBe('Ada Lovelace')
    return logins.provider.requests.map(({ method, path, headers, body }) => ({
      ...{ method, path, userAgent: headers['user-agent'], type: headers['content-type'], accept: headers.accept },
      isForm: /^app_id=.*&app_secret=.*&auth_key=.+$/.test(body),
      isBearer: headers.authorization?.startsWith('Bearer ') ?? false,
      encoding: headers['accept-encoding'],
    }))
  }
  const options = registered()
  const overNode = new web.SocialLogin({ ...options, keys })
  const expected = await sent(overNode, options.clientID)
  expect(expected).toHaveLength(2)
  expect(await sent(newLogin(options), options.clientID)).toEqual(expected)
  await overNode.close()
})

test.each<[string, Fault, OutcomeCode]>([
  ['hangs', { hang: true }, 'provider_timeout'],
  ['closes within the body', { raw: `${okay}content-length: 99\r\n\r\n{` }, 'provider_unreachable'],
  ['answers without end', { endless: true, body: CANARY.repeat(100) }, 'provider_bad_response'],
  ['answers with an endless error', { status: 500, endless: true, body: CANARY }, 'provider_unavailable'],
  [
    'answers with 10 MB that are compressed',
    { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(10_000_000, ' ')) },
    'provider_bad_response',
  ],
  [
    'answers with what is not compressed as it says',
    { headers: { 'content-encoding': 'gzip' }, body: CANARY },
    'provider_bad_response',
  ],
  [
    'answers in a coding that fetch does not know',
    { headers: { 'content-encoding': 'compress' }, body: CANARY },
    'provider_bad_response',
  ],
  [
    'closes within a body whose coding is none',
    { raw: `${okay}content-encoding: none\r\ncontent-length: 99\r\n\r\n{}` },
    'provider_unreachable',
  ],
  ['answers in another protocol', { raw: `SSH-2.0-${CANARY}\r\n` }, 'provider_unreachable'],
])('a provider that %s is told as over connections of Node, if fetch tells', async (_title, fault, code) => {
  for (const endpoint of ['authorize', 'user/me'] as const) {
    expect(await outcomeOf(fault, endpoint, code === 'provider_timeout' ? SHORT : undefined)).toBe(code)
  }
})

test('an exchange whose connection closes is sent once, because fetch does not tell whether it was read', async () => {
  expect(await outcomeOf({ reset: 'before' }, 'authorize')).toBe('provider_unreachable')
  expect(requested()).toStrictEqual(['authorize'])
})

test('a profile request that meets a server error is sent again', async () => {
  expect(await outcomeOf({ status: 503 }, 'user/me')).toBe('provider_unavailable')
  expect(requested()).toStrictEqual([...EXCHANGE, ...profileRequests('provider_unavailable')])
})

test('no redirect is followed: the secret goes nowhere else', async () => {
  const elsewhere = await FakeProvider.start()
  for (const status of [302, 307]) {
    const fault = { redirect: `${elsewhere.oauthBase}/authorize`, status }
    expect(await outcomeOf(fault, 'authorize')).toBe('provider_redirected')
  }
  expect(elsewhere.requests).toStrictEqual([])
  await elsewhere.stop()
})

test.each([
  ['gzip', 'success'],
  ['GZIP', 'success'],
  // Without a word, as some servers do.
  ['none', 'success'],
])('a response in the coding %s, which nobody asked for, is %s', async (coding, outcome) => {
  const user = JSON.stringify({ user_id: '1', user_name: 'ada' })
  expect(await outcomeOf({ headers: { 'content-encoding': coding }, body: gzipSync(user) }, 'user/me')).toBe(outcome)
})

test('many providers are found for each request', async () => {
  const { callbackURL, ...registration } = registered()
  const found = { name: 'chess', callbackURL, ...registration }
  const login = newLogin({ provider: async () => found, allowPrivateAddresses: true })
  expect(await logIn(login, registration.clientID)).toMatchObject({ type: 'success', profile: { provider: 'chess' } })
  await login.close()
})

const noProvider = (): null => null

test.each([
  [{ dispatcher: new Agent() }, 'dispatcher is not an option of SocialLogin: in this build requests are sent by fetch'],
  [{ provider: noProvider, maxPools: 7 }, 'maxPools is not an option of SocialLogin: in this build'],
  [{ provider: noProvider }, 'allowPrivateAddresses must be true in this build'],
  [{ clientID: '' }, 'clientID must be a non-empty string'],
])('a TypeError names the option that cannot be kept: %p', (options, message) => {
  const one = { ...registered(), ...options }
  const given = 'provider' in options ? options : one
  expect(String(thrownBy(() => newLogin(given)))).toContain(`TypeError: ${message}`)
})

test('both builds export the same, and package.json gives their types to both', () => {
  expect(Object.keys(edge).sort()).toEqual(Object.keys(web).sort())
  const { types, ...files } = require(join(__dirname, '../../../package.json')).exports['./web']
  expect(types).toBe('./dist/lib/web/index.d.ts')
  const [edgeFile, webFile] = ['./dist/lib/web/edge.js', './dist/lib/web/index.js']
  expect(Object.entries(files)).toStrictEqual([
    ['workerd', edgeFile],
    ['browser', edgeFile],
    ['default', webFile],
  ])
})

test('it loads nothing of undici, nor of the network of Node', () => {
  const program = `
    const Module = require('node:module')
    const load = Module._load
    const names = []
    Module._load = (name, ...others) => {
      names.push(name)
      return load(name, ...others)
    }
    require(${JSON.stringify(join(__dirname, '../../lib/web/FILE'))})
    console.log(names.filter((name) => /^undici|^node:(net|tls|dns|http|https)$/.test(name)).join())`
  const loaded = (file: string): string =>
    spawnSync(process.execPath, ['-e', program.replace('FILE', file)], { encoding: 'utf8' }).stdout.trim()
  expect(loaded('index')).toContain('node:net')
  expect(loaded('edge')).toBe('')
})

test('a response that is cut is no success, also where it says that it is not encoded', async () => {
  const raw = `${okay}content-encoding: identity\r\ncontent-length: 99\r\n\r\n{"access_token":"token"}`
  expect(await outcomeOf({ raw }, 'authorize')).toBe('provider_unreachable')
})
