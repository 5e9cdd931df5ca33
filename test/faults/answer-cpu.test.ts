import { Client } from 'undici'
import { SocialLoginClient } from '../../lib'
import { RawProvider } from '../support/raw-provider'

const OKAY = 'HTTP/1.1 200 OK\r\n'
const ROUNDS = 3

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
