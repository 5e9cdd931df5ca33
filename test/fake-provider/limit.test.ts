import { type Application, FakeProvider, type FakeProviderOptions } from '../../lib/testing'
import { tokenFor, userInfo, userMe } from '../support/provider-http'

let provider: FakeProvider
let application: Application

async function start(options: FakeProviderOptions = {}): Promise<void> {
  provider = await FakeProvider.start(options)
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
}

afterEach(() => provider.stop())

test('each token has 1,000 requests per hour; the 1,001st is refused until the next hour', async () => {
  await start()
  const token = await tokenFor(provider, application)
  const other = await tokenFor(provider, application)
  for (let hundred = 0; hundred < 10; hundred += 1) {
    const seen = await Promise.all(Array.from({ length: 100 }, () => userMe(provider, token)))
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]))
  }
  const refused = await userMe(provider, token)
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text)).toEqual({ error: true, message: 'More than 1000 requests in an hour.' })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3_500)
  expect((await userMe(provider, other)).status).toBe(200)
  provider.clock.advance(seconds * 1000)
  expect((await userMe(provider, token)).status).toBe(200)
})

test('both profile endpoints count together; an invalid token is not counted', async () => {
  await start({ rateLimit: 2 })
  const token = await tokenFor(provider, application)
  await userMe(provider, 'unknown')
  expect((await userMe(provider, token)).status).toBe(200)
  expect((await userInfo(provider, token)).status).toBe(200)
  expect((await userInfo(provider, token)).status).toBe(429)
})

test('a refusal may contain a date, its limits, neither, or have status 200', async () => {
  await start({ rateLimit: 1 })
  const token = await tokenFor(provider, application)
  await userMe(provider, token)
  provider.setMode({ rateLimitAnswer: 'retry-after-date' })
  const date = Date.parse((await userMe(provider, token)).headers.get('retry-after') ?? '')
  expect(Math.abs(date - provider.clock.now() - 3_600_000)).toBeLessThan(10_000)
  provider.setMode({ rateLimitAnswer: 'x-ratelimit' })
  const { headers } = await userMe(provider, token)
  expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['1', '0'])
  expect(headers.has('retry-after')).toBe(false)
  provider.setMode({ rateLimitAnswer: 'bare', errorsAtStatus200: true })
  const bare = await userMe(provider, token)
  expect([bare.status, bare.headers.has('retry-after')]).toEqual([200, false])
  expect(JSON.parse(bare.text).error).toBe(true)
})

test('Infinity means no limit; a limit that is not a whole number is refused', async () => {
  await start({ rateLimit: Number.POSITIVE_INFINITY })
  const token = await tokenFor(provider, application)
  const seen = await Promise.all(Array.from({ length: 50 }, () => userMe(provider, token)))
  expect(seen.every(({ status }) => status === 200)).toBe(true)
  for (const rateLimit of [0, -1, 1.5, Number.NaN]) expect(() => new FakeProvider({ rateLimit })).toThrow(TypeError)
})
