import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import supertest from 'supertest'
import { FakeProvider, type Fault, signIn } from '../../../lib/testing'

// Whether somebody was signed in to an application that runs in another process.

const RIGHT = ['', 'both to /', 'failure to /']

// What is said of it: sign-in.test.ts has the sentences.
const WRONG: readonly (readonly [broken: string, says: RegExp])[] = [
  ['secret', /^signIn: the callback .* give the strategy its clientSecret\.$/],
  ['verify refuses', /^signIn: the callback .* it answered as without a key/],
  ['verify throws', /^signIn: the callback .* 500 \("Error: no such column: nickname"\)/],
  ['strict', /^signIn: the start sets connect\.sid with SameSite=Strict/],
  ['secure', /^signIn: the callback .* sets connect\.sid with Secure/],
  ['secure over http', /^signIn: the callback .* the start set no cookie/],
  ['slash', /^signIn: the start \/auth redirects to \/auth\/, .* give start: '\/auth\/'\.$/],
  ['login page', /^signIn: the start \/auth redirects to \/login, .* give start: '\/login'\.$/],
  ['start fails', /^signIn: the start \/auth answered 500 \("Error: no such table: sessions"\)/],
  ['no callback', /^signIn: the callback .* 404 .* register a redirectURL/],
]

let provider: FakeProvider
let child: ChildProcess
/** The port of each application, by what is wrong with it. */
let ports: Readonly<Record<string, number>>

beforeAll(async () => {
  provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({
    name: 'App',
    redirectURL: 'http://localhost:3000/callback',
  })
  const credentials = { SOCIAL_BASE_URL: provider.baseURL, SOCIAL_CLIENT_ID: appID, SOCIAL_CLIENT_SECRET: appSecret }
  const env = { ...process.env, ...credentials, NODE_ENV: 'development' }
  const program = [join(__dirname, 'child-app.js'), ...RIGHT, ...WRONG.map(([broken]) => broken)]
  child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [chunk] = await once(child.stdout ?? child, 'data')
  ports = JSON.parse(String(chunk))
})
afterEach(() => provider.clearRequests())
afterAll(async () => {
  child.kill()
  await provider.stop()
})

const agentOf = (broken: string) => supertest.agent(`http://127.0.0.1:${ports[broken]}`)

test.each(RIGHT)('%s: an agent is signed in, by one exchange', async (broken) => {
  const browser = agentOf(broken)
  await expect(signIn(browser, { provider, start: '/auth' })).resolves.toHaveProperty('location')
  await browser.get('/profile').expect(200, { id: '1' })
  expect(provider.requests.map(({ endpoint }) => endpoint)).toStrictEqual(['authorize', 'user/me'])
})

test.each(WRONG)('nobody is, because of: %s', async (broken, says) => {
  const browser = agentOf(broken)
  await expect(signIn(browser, { provider, start: '/auth' })).rejects.toThrow(says)
  const { text } = await browser.get('/profile')
  if (broken !== 'strict') expect(text).toBe('nobody')
})

const REFUSALS: readonly (readonly [endpoint: 'authorize' | 'user/me', fault: Fault, says: string])[] = [
  ['authorize', { status: 400 }, 'the provider refused the exchange (status 400): see the log'],
  ['authorize', { body: '{"error":true,"message":"bad key"}' }, 'the provider refused the exchange (bad key): see'],
  ['user/me', { status: 401 }, 'the provider refused the profile (status 401): see the log'],
]

test.each(REFUSALS)('a refusal by the provider is named: %s, %j', async (endpoint, fault, says) => {
  provider.failNext(endpoint, fault)
  await expect(signIn(agentOf(''), { provider, start: '/auth' })).rejects.toThrow(says)
})
