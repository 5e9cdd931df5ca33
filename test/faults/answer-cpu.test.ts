import type { Socket } from 'node:net'
import { Client } from 'undici'
import { SocialLoginClient } from '../../lib'
import { RawProvider } from '../support/raw-provider'

const OKAY = 'HTTP/1.1 200 OK\r\n'
const BODY = '{"access_token":"token"}'
const MANY_LINES = 'a:\r\n'.repeat(30_000)
const ROUNDS = 3

const hostile = [
  ['headers', `${OKAY}${MANY_LINES}\r\n${BODY}`],
  ['trailers', `${OKAY}transfer-encoding: chunked\r\n\r\n18\r\n${BODY}\r\n0\r\n${MANY_LINES}\r\n`],
  ['early hints', `HTTP/1.1 103 Early Hints\r\n${MANY_LINES}\r\n${OKAY}content-length: 24\r\n\r\n${BODY}`],
] as const

let provider: RawProvider
let client: SocialLoginClient
let naive: Client

beforeAll(async () => {
  provider = await RawProvider.start()
  client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'a', clientSecret: 'b' })
  naive = new Client(new URL(provider.baseURL).origin, { maxHeaderSize: 8 * 1024 })
})
afterAll(async () => {
  await client.close()
  await naive.destroy()
  await provider.stop()
})

const outcomeOf = (): Promise<unknown> => client.exchangeAuthKey('key').catch((error) => error.code)
const naiveOutcome = (): Promise<unknown> =>
  naive.request({ method: 'POST', path: '/api/authorize', body: 'auth_key=key' }).then(
    async ({ body }) => body.text().catch((error) => error.code),
    (error) => error.code,
  )

/** The least CPU time, in milliseconds, of a few such responses. */
async function leastTime(response: string, call: () => Promise<unknown>, outcome: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    provider.failNext('authorize', (socket) => socket.write(response))
    const before = process.cpuUsage()
    expect(await call()).toBe(outcome)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return Math.min(...times)
}

test.each(hostile)(
  '120 KB of the shortest %s take a fifth of the CPU time that undici takes alone',
  async (_where, response) => {
    const alone = await leastTime(response, naiveOutcome, 'UND_ERR_HEADERS_OVERFLOW')
    const ours = await leastTime(response, outcomeOf, 'provider_bad_response')
    expect(ours).toBeLessThan(alone / 5)
  },
)

test.each([
  ['chunks', OKAY],
  ['chunks of an error', 'HTTP/1.1 500 Internal Server Error\r\n'],
])(
  '20,000 %s, refused, take at most three times the CPU time that undici takes to read them',
  async (_what, status) => {
    const response = `${status}transfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}0\r\n\r\n`
    const alone = await leastTime(response, naiveOutcome, 'a'.repeat(20_000))
    const outcome = status === OKAY ? 'provider_bad_response' : 'provider_unavailable'
    expect(await leastTime(response, outcomeOf, outcome)).toBeLessThan(3 * alone)
  },
)

test('a response that comes byte by byte is refused early, while undici alone reads all of it', async () => {
  let sent = 0
  const drip = (socket: Socket): void => {
    sent = 0
    socket.setNoDelay()
    socket.write(`${OKAY}transfer-encoding: chunked\r\n\r\n1;`)
    const send = (): unknown => {
      if (socket.destroyed) return
      if (sent === 20_000) return socket.write('\r\na\r\n0\r\n\r\n')
      sent += 1
      socket.write('x')
      return setImmediate(send)
    }
    send()
  }
  provider.failNext('authorize', drip)
  expect(await naiveOutcome()).toBe('a')
  provider.failNext('authorize', drip)
  expect(await outcomeOf()).toBe('provider_bad_response')
  expect(sent).toBeLessThan(10_000)
})
