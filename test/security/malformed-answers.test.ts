import { SocialLoginClient } from '../../lib'
import { answer, RawProvider } from '../support/raw-provider'

// What an answer lacks is told by its text, which is the provider's. A pattern that looks for the end of a string or of a tag, and
// begins again at the next character where there is none, takes time by the square of the length.
const NAIVE_STRING = /"(?:[^"\\]|\\.)*"/g
const NAIVE_TAG = /<\/?[a-z][^>]*>/i
const TIMES = 10_000

const bodies: readonly (readonly [what: string, body: string])[] = [
  ['tags that never end', `[${'<a'.repeat(TIMES)}]`],
  ['closing tags that never end', `[${'</a'.repeat(TIMES)}]`],
  ['a string that never ends', `["${'\\"'.repeat(TIMES)}]`],
  ['a string that goes on to a line break', `["${'\\"'.repeat(TIMES)}\\\n]`],
  ['a string that ends in a backslash', `[x]"${'\\"'.repeat(TIMES)}\\`],
]

let provider: RawProvider
let client: SocialLoginClient

beforeAll(async () => {
  provider = await RawProvider.start()
  client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'a', clientSecret: 'b' })
  // What the first request costs is not meant.
  for (const endpoint of ['authorize', 'user/me'] as const)
    provider.failNext(endpoint, (socket) => socket.write(answer('[')))
  await Promise.allSettled([client.exchangeAuthKey('key'), client.getCurrentUser('token')])
})
afterAll(async () => {
  await client.close()
  await provider.stop()
})

/** Milliseconds of CPU. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test.each(bodies)('an answer with %s keeps a naive client busy, and ours not', async (_what, body) => {
  const naive = await timeOf(() => NAIVE_TAG.test(body.replace(NAIVE_STRING, '')))
  for (const [endpoint, call] of [
    ['authorize', () => client.exchangeAuthKey('key')],
    ['user/me', () => client.getCurrentUser('token')],
  ] as const) {
    // The least of three: what the engine compiles and collects meanwhile is not meant.
    const ours: number[] = []
    while (ours.length < 3) {
      provider.failNext(endpoint, (socket) => socket.write(answer(body)))
      ours.push(await timeOf(() => expect(call()).rejects.toMatchObject({ code: 'provider_bad_response' })))
    }
    expect(Math.min(...ours)).toBeLessThan(naive / 5)
  }
})
