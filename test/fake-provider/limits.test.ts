import { type Application, FakeProvider, type FakeProviderOptions, type LoggedRequest } from '../../lib/testing'
import { listen } from '../support/listen'
import { exchange, tokenFor, userInfo, userMe } from '../support/provider-http'
import { sendMany } from '../support/raw-requests'

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
  const headers = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`
  await sendMany(provider.origin, `GET /api/v1/user/me HTTP/1.1\r\n${headers}\r\n\r\n`, 999)
  expect((await userMe(provider, token)).status).toBe(200)
  const refused = await userMe(provider, token)
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.text)).toEqual({ error: true, message: 'More than 1000 requests in an hour.' })
  const seconds = Number(refused.headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(3_500)
  expect((await userMe(provider, other)).status).toBe(200)
  provider.clock.advance(seconds * 1000)
  expect((await userMe(provider, token)).status).toBe(200)
})

test('the requests of a token count in each hour from its issue, to the millisecond', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000)
  await start({ rateLimit: 1 })
  const token = await tokenFor(provider, application)
  const told = async (): Promise<[number, string | null]> => {
    const { status, headers } = await userMe(provider, token)
    return [status, headers.get('retry-after')]
  }
  provider.clock.advance(1_800_000)
  expect([await told(), await told()]).toStrictEqual([
    [200, null],
    [429, '1800'],
  ])
  provider.clock.advance(1_799_999)
  expect(await told()).toStrictEqual([429, '1'])
  provider.clock.advance(1)
  expect([await told(), await told()]).toStrictEqual([
    [200, null],
    [429, '3600'],
  ])
  // Hours in which nothing came count, too: another one begins half an hour later.
  provider.clock.advance(2.5 * 3_600_000)
  expect([await told(), await told()]).toStrictEqual([
    [200, null],
    [429, '1800'],
  ])
  now.mockRestore()
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
  expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toStrictEqual(['1', '0'])
  expect(headers.has('retry-after')).toBe(false)
  provider.setMode({ rateLimitAnswer: 'bare', errorsAtStatus200: true })
  const bare = await userMe(provider, token)
  expect([bare.status, bare.headers.has('retry-after')]).toStrictEqual([200, false])
  expect(JSON.parse(bare.text).error).toBe(true)
})

test('the log keeps the newest 32 MB of paths, headers and bodies', async () => {
  await start()
  const lengthOf = ({ path, headers, body }: Pick<LoggedRequest, 'path' | 'headers' | 'body'>): number =>
    path.length + JSON.stringify(headers).length + body.length
  const body = 'x'.repeat(8192)
  const headers = { host: 'localhost', 'content-length': '8192' }
  const send = async (length: number, count: number): Promise<LoggedRequest | undefined> => {
    const padding = 'x'.repeat(length - lengthOf({ path: '/api/oauth?', headers, body }))
    const head = `POST /api/oauth?${padding} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8192`
    await sendMany(provider.origin, `${head}\r\n\r\n${body}`, count)
    return provider.requests.at(-1)
  }
  const last = await send(16_384, 2048)
  expect([last && lengthOf(last), provider.requests.length]).toStrictEqual([16_384, 2048])
  // One character more than fits: the oldest two go.
  await send(16_385, 1)
  expect(provider.requests).toHaveLength(2047)
  provider.clearRequests()
  await send(16_384, 3)
  expect(provider.requests).toHaveLength(3)
})

test('the newest 10,000 unused keys are valid, older ones are dropped', async () => {
  await start()
  const grant = { appID: application.appID, userID: '1' }
  const keys = Array.from({ length: 10_001 }, () => provider.issueAuthKey(grant))
  const statusOf = async (index: number) => (await exchange(provider, application, keys.at(index) ?? '')).status
  expect([await statusOf(0), await statusOf(-1), await statusOf(2000)]).toStrictEqual([400, 200, 200])
})

test('a long international name as redirect URL is refused before it is parsed', async () => {
  await start()
  const redirectURL = `http://${encodeURIComponent('一'.repeat(1600))}.example/`
  const register = () => provider.registerApplication({ name: 'x', redirectURL })
  expect(register).toThrow('at most 2000 visible ASCII characters')
})

test('a long international name as Host or Origin is expensive for a naive server, and cheap for this one', async () => {
  await start()
  const name = encodeURIComponent(
    Array.from({ length: 1600 }, (_, at) => 0x4e00 + ((at * 7919) % 20_000))
      .map((code) => String.fromCodePoint(code))
      .join(''),
  )
  await using naive = await listen((request, response) => {
    response.end(String(URL.canParse(`http://${request.headers.host}`) && URL.canParse(request.headers.origin ?? '')))
  }, '127.0.0.1')
  const attack = async (origin: string): Promise<number> => {
    const before = process.cpuUsage()
    await sendMany(origin, `POST /developers HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 0\r\n\r\n`, 40)
    const other = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://${name}\r\nContent-Length: 0\r\n\r\n`
    await sendMany(origin, other, 40)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const [hurt, ours] = [await attack(naive.origin), await attack(provider.origin)]
  expect(hurt).toBeGreaterThan(3 * ours)
})
