import { type Application, FakeProvider } from '../../lib/testing'
import { listen } from '../support/listen'
import { exchange } from '../support/provider-http'
import { sendMany } from '../support/raw-requests'

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

function form(path: string, body: string): string {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

describe('the log of requests', () => {
  test('keeps the 10,000 requests of 5,000 logins, and at most the newest 20,000', async () => {
    await sendMany(provider.origin, 'GET /api/v1/user/me?first HTTP/1.1\r\nHost: localhost\r\n\r\n', 1)
    await sendMany(provider.origin, form('/api/authorize', `app_id=x&app_secret=${'y'.repeat(43)}&auth_key=z`), 10_000)
    expect(provider.requests).toHaveLength(10_001)
    await sendMany(provider.origin, 'GET /api/v1/user/me?last HTTP/1.1\r\nHost: localhost\r\n\r\n', 11_000)
    const { requests } = provider
    expect([requests.length, requests[0]?.endpoint, requests.at(-1)?.path]).toEqual([
      20_000,
      'authorize',
      '/api/v1/user/me?last',
    ])
    expect(requests.at(-1)?.status).toBe(401)
  })
})

describe('keys', () => {
  test('the newest 10,000 unused keys are valid, older ones are dropped', async () => {
    const grant = { appID: application.appID, userID: '1' }
    const keys = Array.from({ length: 10_001 }, () => provider.issueAuthKey(grant))
    const [first = '', last = ''] = [keys[0], keys.at(-1)]
    expect((await exchange(provider, application, first)).status).toBe(400)
    expect((await exchange(provider, application, last)).status).toBe(200)
    expect((await exchange(provider, application, keys[2000] ?? '')).status).toBe(200)
  })
})

describe('data that a developer creates', () => {
  test('a redirect URL is bounded before it is parsed', () => {
    const redirectURL = `http://${encodeURIComponent('一'.repeat(1600))}.example/`
    expect(() => provider.registerApplication({ name: 'x', redirectURL })).toThrow(
      'at most 2000 visible ASCII characters',
    )
  })
})

test('a long international name as Host or Origin is expensive for a naive server, and cheap for this one', async () => {
  const name = encodeURIComponent(
    Array.from({ length: 1600 }, (_, at) => 0x4e00 + ((at * 7919) % 20_000))
      .map((code) => String.fromCodePoint(code))
      .join(''),
  )
  await using naive = await listen((request, response) => {
    response.end(String(URL.canParse(`http://${request.headers.host}`) && URL.canParse(request.headers.origin ?? '')))
  }, '127.0.0.1')
  const attack = async (origin: string): Promise<number> => {
    const start = performance.now()
    await sendMany(origin, `POST /developers HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 0\r\n\r\n`, 40)
    const other = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://${name}\r\nContent-Length: 0\r\n\r\n`
    await sendMany(origin, other, 40)
    return performance.now() - start
  }
  const [hurt, ours] = [await attack(naive.origin), await attack(provider.origin)]
  expect(hurt).toBeGreaterThan(3 * ours)
})
