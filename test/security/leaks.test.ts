import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { ExchangeMethod } from '../../lib'
import type { Fault } from '../../lib/testing'
import { encodings, findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

const SECRET = 'secret-canary-2c8e-07b1'
const MARKER = 'body-canary-5f0d-91aa'
const LIBRARY = join(__dirname, '../../lib')

const END = 'end of the login'

// A login's two requests for each line, which is a key, in a separate process, whose debug output is scanned.
const program = `
const { createInterface } = require('node:readline')
const { SocialLoginClient } = require(process.env.LIBRARY)
async function logIn(key) {
  const client = new SocialLoginClient({
    baseURL: process.env.BASE_URL, clientID: process.env.APP_ID, clientSecret: process.env.SECRET, timeout: 2000,
    exchangeMethod: process.env.EXCHANGE_METHOD })
  client.preconnect()
  await client.exchangeAuthKey(key)
    .then(({ access_token }) => client.getCurrentUser(access_token))
    .then((user) => console.error('user ' + user.user_id), (error) => console.error(error, JSON.stringify(error)))
    .finally(() => client.close())
  console.error('${END}')
}
createInterface(process.stdin).on('line', logIn)
`

const logins = useLogins('all tests')

/** What was printed of one login, and its secrets. */
interface Debugged {
  readonly output: string
  readonly secrets: readonly string[]
}

/** A process with this debug output. It is stopped after the tests. @returns what makes one login in it */
function startDebugged(modules: string, exchangeMethod: ExchangeMethod = 'post'): () => Promise<Debugged> {
  const { provider } = logins
  const { appID } = provider.registerApplication({
    name: 'Debugged',
    redirectURL: 'http://localhost/cb',
    appSecret: SECRET,
  })
  const variables = { LIBRARY, BASE_URL: provider.baseURL, APP_ID: appID, SECRET }
  const child = spawn(process.execPath, ['-e', program], {
    env: { ...process.env, ...variables, NODE_DEBUG: modules, EXCHANGE_METHOD: exchangeMethod },
  })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return async () => {
    output = ''
    const key = provider.issueAuthKey({ appID, userID: '1' })
    child.stdin.write(`${key}\n`)
    await until(() => output.includes(END))
    const token = provider.requests.at(-1)?.headers.authorization?.slice('Bearer '.length)
    return { output, secrets: [SECRET, key, MARKER, ...(token ? [token] : [])] }
  }
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
})

let logInWithDebug: () => Promise<Debugged>
beforeAll(() => {
  logInWithDebug = startDebugged('http,net,tls,undici')
})

const faults: [string, Fault | undefined][] = [
  ['a good login', undefined],
  ['a server error', { status: 500, body: MARKER }],
  ['a redirect', { redirect: `http://127.0.0.1:1/${MARKER}` }],
  ['something that is not HTTP', { raw: `${MARKER}\r\n` }],
  ['a body cut off', { body: `{"${MARKER}":1}`, truncate: 5 }],
  ['JSON cut off', { body: `{"${MARKER}":` }],
]

test.each(faults)('the debug output of Node and undici shows no secret of %s', async (title, fault) => {
  if (fault) logins.provider.failNext('user/me', fault, { times: Number.POSITIVE_INFINITY })
  const { output, secrets } = await logInWithDebug()
  expect(output).toMatch(/NET \d+/)
  expect(output).toMatch(/UNDICI|undici/i)
  expect(output).toContain(title === 'a good login' ? 'user 1' : 'SocialLoginError')
  expect(secrets).toHaveLength(4)
  expect(findSecrets(secrets, { output })).toStrictEqual([])
})

test('with exchangeMethod: get, the debug output of Node shows no secret, and that of undici shows every URL', async () => {
  logins.provider.setMode({ getOnly: true })
  const ours = await startDebugged('http,net,tls,passport-social-login', 'get')()
  expect([ours.output.includes('user 1'), findSecrets(ours.secrets, { output: ours.output })]).toStrictEqual([true, []])
  const undici = await startDebugged('undici', 'get')()
  expect(findSecrets(undici.secrets, { output: undici.output })).toContain(`output: plain of ${SECRET}`)
  logins.provider.setMode('specification')
})

test('the scan finds a secret in every encoding it knows', () => {
  for (const [name, needle] of Object.entries(encodings(SECRET))) {
    expect([name, findSecrets([SECRET], { log: `before ${needle} after` }).length > 0]).toStrictEqual([name, true])
  }
  expect(findSecrets([SECRET], { error: new Error('x', { cause: { deep: [SECRET] } }) })).not.toStrictEqual([])
  expect(
    findSecrets([SECRET], { hidden: Object.defineProperty({}, 'a', { value: SECRET, enumerable: false }) }),
  ).not.toStrictEqual([])
})
