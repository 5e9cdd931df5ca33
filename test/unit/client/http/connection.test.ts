import { execFile, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import dns from 'node:dns'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import tls, { type TlsOptions } from 'node:tls'
import { promisify } from 'node:util'
import { Agent } from 'undici'
import type { SocialLoginClient } from '../../../../lib'
import { makeCertificates, trustAuthority } from '../../../support/certificates'
import { useClients } from '../../../support/client'
import { diagnose } from '../../../support/doctor'
import { rejectionOf } from '../../../support/leak-check'
import { RAW_TOKEN, RawProvider } from '../../../support/raw-provider'
import { settled, until } from '../../../support/turns'

const clients = useClients()
let provider: RawProvider

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
  return provider.stop()
})

/** A client of a provider at `localhost`. */
async function start(timeout = 10_000, certificate?: TlsOptions): Promise<SocialLoginClient> {
  provider = await RawProvider.start(certificate)
  return clients.client({ baseURL: provider.baseURL, timeout })
}

function resolveTo(...addresses: string[]): void {
  jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const answer = args.at(-1)
    const found = addresses.map((address) => ({ address, family: 4 }))
    if (typeof answer === 'function') setImmediate(() => answer(null, found))
  })
}

test('one DNS lookup runs at a time: silent name servers block one thread of the process, not all', async () => {
  const client = await start()
  const answers: (() => void)[] = []
  const lookup = dns.lookup.bind(dns)
  const lookups = jest
    .spyOn(dns, 'lookup')
    .mockImplementation((...given) => void answers.push(() => Reflect.apply(lookup, dns, given)))
  const calls = Array.from({ length: 20 }, () => client.exchangeAuthKey('a-key'))
  while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const answer of answers) answer()
  for (const token of await Promise.all(calls)) expect(token).toEqual({ access_token: RAW_TOKEN })
  expect(lookups).toHaveBeenCalledTimes(1)
})

describe('a name with hundreds of addresses, of which the last is the provider', () => {
  const addresses = (refusing: number): string[] => [...Array<string>(refusing).fill('127.0.0.99'), '127.0.0.1']

  test('makes a naive client connect to all of them', async () => {
    await start()
    resolveTo(...addresses(300))
    const agent = new Agent()
    await agent.request({ origin: new URL(provider.baseURL).origin, path: '/api/authorize', method: 'POST', body: '' })
    expect(provider.accepted).toBe(1)
    await agent.destroy()
  })

  test.each<[string, (client: SocialLoginClient) => Promise<unknown>]>([
    ['of a call', (client) => client.exchangeAuthKey('a-key').catch(() => {})],
    ['of a start', async (client) => client.preconnect()],
    ['of the doctor', () => diagnose(provider.baseURL, { timeout: 15_000 })],
  ])('makes ours connect to thirty-two: %s', async (_title, connectOnce) => {
    const client = await start(600)
    const lookups = jest.spyOn(dns, 'lookup')
    resolveTo(...addresses(32))
    await connectOnce(client)
    await until(() => lookups.mock.calls.length > 0)
    await settled(() => provider.accepted, 200)
    expect(provider.accepted).toBe(0)
    resolveTo(...addresses(31))
    const other = clients.client({ baseURL: provider.baseURL })
    await connectOnce(other)
    await until(() => provider.accepted > 0)
  })
})

test('a request whose deadline ends while its connection opens gives that up: nothing is sent, and the next one opens its own', async () => {
  const client = await start()
  const answers: (() => void)[] = []
  const lookup = dns.lookup.bind(dns)
  let lookedUp = 0
  jest.spyOn(dns, 'lookup').mockImplementation((...given: unknown[]) => {
    const tell = given.pop()
    const answer = (...found: unknown[]): void => {
      lookedUp += 1
      if (typeof tell === 'function') tell(...found)
    }
    answers.push(() => Reflect.apply(lookup, dns, [...given, answer]))
  })
  const controller = new AbortController()
  const call = rejectionOf(client.exchangeAuthKey('a-key', { signal: controller.signal }))
  await until(() => answers.length === 1)
  controller.abort(new DOMException('late', 'TimeoutError'))
  expect(await call).toMatchObject({ code: 'provider_timeout' })
  for (const answer of answers.splice(0)) answer()
  await until(() => lookedUp === 1)
  await settled(() => provider.accepted, 200)
  expect(provider.accepted).toBe(0)
  const next = client.exchangeAuthKey('next')
  await until(() => answers.length === 1)
  for (const answer of answers) answer()
  expect(await next).toEqual({ access_token: RAW_TOKEN })
  expect([provider.accepted, provider.requests.map(({ body }) => /auth_key=(.*)/.exec(body)?.[1])]).toStrictEqual([
    1,
    ['next'],
  ])
})

test('a spare connection tells the server which of its names is meant', async () => {
  const { ca, good } = makeCertificates()
  const client = await start(10_000, good)
  trustAuthority(ca)
  const names: unknown[] = []
  provider.greetWith((socket) => names.push(Reflect.get(socket, 'servername')))
  client.preconnect()
  await until(() => names.length > 0)
  expect(names).toStrictEqual(['localhost'])
})

test('a spare connection to an address of IPv6 asks no name server', async () => {
  await start()
  const lookups = jest.spyOn(dns, 'lookup')
  const client = clients.client({ baseURL: `http://[::1]:${provider.port}/api/v1` })
  expect(await countAttempts(async () => client.preconnect())).toBe(1)
  expect(lookups).not.toHaveBeenCalled()
})

test("a spare connection whose lookup, the application's own, threw is none, and nobody hears of it", async () => {
  const client = await start(3000)
  const unhandled: unknown[] = []
  const hear = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', hear)
  jest.spyOn(dns, 'lookup').mockImplementationOnce(() => {
    throw new Error('replaced')
  })
  client.preconnect()
  await settled(() => unhandled.length)
  expect(await client.exchangeAuthKey('a-key')).toEqual({ access_token: RAW_TOKEN })
  await client.close()
  await settled(() => unhandled.length)
  process.off('unhandledRejection', hear)
  expect(unhandled).toStrictEqual([])
})

test("after a lookup of the application's own that threw, the next request looks up again", async () => {
  const client = await start(3000)
  jest.spyOn(dns, 'lookup').mockImplementationOnce(() => {
    throw new Error('replaced')
  })
  expect(await rejectionOf(client.exchangeAuthKey('a-key'))).toMatchObject({ code: 'provider_unreachable' })
  expect(await client.exchangeAuthKey('a-key')).toEqual({ access_token: RAW_TOKEN })
})

test.each(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a connection that fails by %s, as while a server or its name moves, is tried again',
  async (code) => {
    const client = await start(3000)
    jest.spyOn(dns, 'lookup').mockImplementationOnce((...args: unknown[]) => {
      const answer = args.at(-1)
      if (typeof answer === 'function') setImmediate(() => answer(Object.assign(new Error(), { code })))
    })
    expect(await client.exchangeAuthKey('a-key')).toEqual({ access_token: RAW_TOKEN })
  },
)

// Node 20 ends with SIGSEGV where a TLS socket is given a TCP connection that is still opening, and its first address fails.
test.each(['http', 'https'])(
  'where nothing listens at the first address of a name, %s reaches the second',
  async (protocol) => {
    const { ca, good } = makeCertificates()
    const client = await start(10_000, protocol === 'https' ? good : undefined)
    trustAuthority(ca)
    resolveTo('127.0.0.99', '127.0.0.1')
    expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
  },
)

/** Counts the connections that this process begins to open during the work; tells `onAttempt` the number of each. */
async function countAttempts(work: () => Promise<unknown>, onAttempt = (_count: number) => {}): Promise<number> {
  let count = 0
  const counted = () => {
    count += 1
    onAttempt(count)
  }
  subscribe('net.client.socket', counted)
  await work().finally(() => unsubscribe('net.client.socket', counted))
  return count
}

test.each(['exchange', 'profile'])('a provider that restarts at the %s is waited for', async (phase) => {
  // A third of the timeout is for new attempts.
  const client = await start(3000)
  provider.refuse()
  const call = () => (phase === 'exchange' ? client.exchangeAuthKey('a-key') : client.getCurrentUser('token'))
  await countAttempts(call, (count) => {
    if (count === 3) void provider.listen()
  })
  expect(provider.requests.map(({ endpoint }) => endpoint)).toStrictEqual([
    phase === 'exchange' ? 'authorize' : 'user/me',
  ])
})

test('a provider that is away is given up long before the timeout, so that the callback says why it failed', async () => {
  const client = await start(900)
  provider.refuse()
  const message = expect.stringContaining('was refused: nothing listens')
  const count = await countAttempts(async () =>
    expect(await rejectionOf(client.exchangeAuthKey('a-key'))).toMatchObject({ code: 'provider_unreachable', message }),
  )
  expect(count).toBeGreaterThan(1)
  expect(count).toBeLessThan(8)
})

test('a provider that is away is tried seven times in three seconds, however long a login may take', async () => {
  const client = await start(60_000)
  provider.refuse()
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
  const begun = performance.now()
  let [attempts, ended] = [0, 0]
  const counted = (message: unknown): void => {
    attempts += 1
    const { socket } = Object(message)
    if (socket instanceof Socket) socket.once('close', () => (ended += 1))
  }
  subscribe('net.client.socket', counted)
  let given: unknown
  void rejectionOf(client.exchangeAuthKey('a-key')).then((error) => {
    given = error
  })
  while (!given && performance.now() - begun < 20_000) {
    // No time passes during an attempt.
    await until(() => ended === attempts)
    await settled(() => attempts)
    jest.advanceTimersByTime(10)
  }
  unsubscribe('net.client.socket', counted)
  const elapsed = performance.now() - begun
  jest.useRealTimers()
  expect(given).toMatchObject({ code: 'provider_unreachable' })
  expect(elapsed).toBeGreaterThanOrEqual(3000)
  expect(elapsed).toBeLessThan(3100)
  expect(attempts).toBe(7)
})

test('a process whose call was aborted does not wait for a provider that is away', async () => {
  await start()
  provider.refuse()
  const program = `
    const { SocialLoginClient } = require(${JSON.stringify(join(__dirname, '../../../../lib'))})
    const client = new SocialLoginClient({ baseURL: process.argv[1], clientID: 'id', clientSecret: 'secret', timeout: 60_000 })
    const controller = new AbortController()
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    let attempts = 0
    require('node:diagnostics_channel').subscribe('net.client.socket', ({ socket }) => {
      attempts += 1
      if (attempts < 3) return
      // Refused, it is followed by another one in a moment.
      socket.once('close', () => setImmediate(() => {
        console.log(timers())
        controller.abort()
      }))
    })
    client.exchangeAuthKey('key', { signal: controller.signal }).catch(() => setImmediate(() => console.log(timers())))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, provider.baseURL])
  const [before, after] = stdout.trim().split('\n').map(Number)
  expect(before).toBeGreaterThan(0)
  expect(after).toBe(0)
})

test.each([
  ['a second and a half', 60_000, 1500],
  ['a quarter of the timeout, if that is less', 2000, 500],
])('an address has %s before the next one is tried', async (_title, timeout, milliseconds) => {
  const client = await start(timeout, makeCertificates().good)
  const connections = jest.spyOn(tls, 'connect')
  await rejectionOf(client.exchangeAuthKey('a-key'))
  expect(connections.mock.calls[0]?.[0]).toMatchObject({ autoSelectFamilyAttemptTimeout: milliseconds })
})

test('a certificate that is not accepted is not asked for again', async () => {
  const client = await start(10_000, makeCertificates().good)
  const connections = jest.spyOn(tls, 'connect')
  expect(await rejectionOf(client.exchangeAuthKey('a-key'))).toMatchObject({ code: 'provider_unreachable' })
  expect(connections).toHaveBeenCalledTimes(1)
})

// Linux drops packets that open a connection while the queue of a listener is full, and sends them again after a second.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('an address that is slow to answer is waited for, where nothing listens at the next one', async () => {
  const client = await start()
  const { port } = provider
  const script = `require('net').createServer((socket) => socket.pipe(require('net').connect(${port})).pipe(socket))
    .listen({ host: '127.0.0.98', port: ${port}, backlog: 1 }, () => console.log('listening'))`
  const slow = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(slow.stdout, 'data')
  slow.kill('SIGSTOP')
  const queue = [1, 2].map(() => connect(port, '127.0.0.98'))
  await Promise.all(queue.map((socket) => once(socket, 'connect')))

  resolveTo('127.0.0.98', '127.0.0.99')
  const user = client.getCurrentUser('token')
  setTimeout(() => slow.kill('SIGCONT'), 500)
  expect(await user).toMatchObject({ user_id: '1' })
  for (const socket of queue) socket.destroy()
  slow.kill()
})

onLinux('an address that never answers is left after a quarter of the time, for the next one', async () => {
  const client = await start(4000)
  const { port } = provider
  const script = `require('net').createServer().listen({ host: '127.0.0.97', port: ${port}, backlog: 1 }, () => console.log('listening'))`
  const silent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(silent.stdout, 'data')
  silent.kill('SIGSTOP')
  const queue = [1, 2].map(() => connect(port, '127.0.0.97'))
  await Promise.all(queue.map((socket) => once(socket, 'connect')))
  resolveTo('127.0.0.97', '127.0.0.1')
  expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
  for (const socket of queue) socket.destroy()
  silent.kill('SIGKILL')
})
