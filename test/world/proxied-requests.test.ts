import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'
import { setEnvironment, TunnelProxy } from '../support/tunnel-proxy'
import { outcomeOfRequest } from './proxied-requests-program'

const logins = useLogins('all tests')
const program = join(__dirname, 'proxied-requests-program.js')

// A proxy for outgoing requests, which connects every name to the provider, as only it could.
let proxy: TunnelProxy

beforeAll(async () => {
  proxy = await TunnelProxy.start(() => Number(new URL(logins.provider.origin).port))
})
beforeEach(() => void proxy.asked.splice(0))
afterAll(() => proxy.stop())

/** Asks for a token, in a process whose environment is this. @returns what it prints of the outcome */
async function runProcess(env: Record<string, string>, ...flags: string[]): Promise<string> {
  return (await printedBy(env, ...flags)).stdout
}

function printedBy(env: Record<string, string>, ...flags: string[]): Promise<{ stdout: string; stderr: string }> {
  const { NODE_ENV: _, ...rest } = process.env
  const options = { env: { ...rest, ...ENVIRONMENT(), ...env } }
  return promisify(execFile)(process.execPath, [...flags, program], options)
}

const ENVIRONMENT = () => ({
  HTTP_PROXY: proxy.url,
  BASE_URL: 'http://provider.example:4400/api/v1',
})

/** The same in this process, whose environment is this meanwhile. */
async function run(env: Record<string, string>): Promise<string> {
  const restore = setEnvironment({ ...ENVIRONMENT(), ...env })
  try {
    return await outcomeOfRequest(process.env)
  } finally {
    restore()
  }
}

test('a proxy of the environment is used where Node is told to use it for its own requests', async () => {
  expect(await run({ NODE_USE_ENV_PROXY: '1' })).not.toContain('The connection to the provider failed')
  expect(proxy.asked).toStrictEqual(['provider.example:4400'])
})

test('it is not used without that, nor for the hosts of NO_PROXY', async () => {
  expect(await run({})).toContain('The connection to the provider failed')
  expect(await run({ NODE_USE_ENV_PROXY: '1', NO_PROXY: 'provider.example' })).toContain(
    'The connection to the provider failed',
  )
  expect(proxy.asked).toStrictEqual([])
})

// Older versions of Node do not start with it.
const FLAG = '--use-env-proxy'
const hasFlag = process.allowedNodeEnvironmentFlags.has(FLAG)
for (const [title, env, flags] of [
  ['as a flag', {}, [FLAG]],
  ['in NODE_OPTIONS', { NODE_OPTIONS: FLAG }, []],
] as const) {
  const testOfFlag = hasFlag ? test : test.skip
  testOfFlag(`it is used where Node is told so ${title}`, async () => {
    expect(await runProcess({ ...env, BASE_URL: logins.provider.baseURL }, ...flags)).toContain('refused the auth_key')
    expect(proxy.asked).toHaveLength(1)
  })
}

test('where the environment names no proxy, none is used', async () => {
  const none = { HTTP_PROXY: '', http_proxy: '', HTTPS_PROXY: '', https_proxy: '' }
  expect(await run({ NODE_USE_ENV_PROXY: '1', ...none, MANY: '1' })).toBe('ok')
})

test('a variable that is no URL is named, without its password', async () => {
  const output = await run({ NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'user:password-canary@proxy' })
  expect(output).toMatch(/^TypeError: HTTPS_PROXY, .* must be http\(s\) URLs/)
  expect(output).not.toContain('canary')
})

test('the debug output of Node and undici shows no password of the proxy', async () => {
  const [user, password] = ['user-canary', 'password-canary']
  const { stdout, stderr } = await printedBy({
    NODE_USE_ENV_PROXY: '1',
    NODE_DEBUG: 'http,https,net,tls,undici',
    HTTP_PROXY: proxy.url.replace('//', `//${user}:${password}@`),
  })
  expect(proxy.asked).toHaveLength(1)
  expect(stderr).toContain('createConnection')
  expect(findSecrets([password, `${user}:${password}`], { stdout, stderr })).toStrictEqual([])
})

test('many providers need allowPrivateAddresses then, because the proxy looks names up', async () => {
  expect(await run({ NODE_USE_ENV_PROXY: '1', MANY: '1' })).toMatch(/^TypeError: NODE_USE_ENV_PROXY is set/)
  expect(await run({ MANY: '1' })).toBe('ok')
})
