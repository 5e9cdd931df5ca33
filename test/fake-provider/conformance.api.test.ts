import { type Application, FakeProvider } from '../../lib/testing'
import { ask, bearer, exchange, post, tokenFor, userInfo, userMe } from '../support/provider-http'

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

function keyFor(userID = '1'): string {
  return provider.issueAuthKey({ appID: application.appID, userID })
}

describe('2.3 Credentials', () => {
  test('the auth_key is short-lived', async () => {
    const early = keyFor()
    provider.clock.advance(10 * 60_000 - 5_000)
    expect((await exchange(provider, application, early)).status).toBe(200)
    const late = keyFor()
    provider.clock.advance(10 * 60_000)
    expect((await exchange(provider, application, late)).status).toBe(400)
  })

  test('the access_token belongs to one user and one application', async () => {
    const ada = await tokenFor(provider, application, '1')
    const alan = await tokenFor(provider, application, '2')
    expect(JSON.parse((await userMe(provider, ada)).text).user_name).toBe('ada')
    expect(JSON.parse((await userMe(provider, alan)).text).user_name).toBe('alan')
    provider.revoke({ appID: application.appID, userID: '1' })
    expect((await userMe(provider, ada)).status).toBe(401)
    expect((await userMe(provider, alan)).status).toBe(200)
  })
})

describe('4.2 Exchange auth key for access token', () => {
  test('a form with app_id, app_secret and auth_key is answered with access_token and nothing else', async () => {
    const seen = await exchange(provider, application, keyFor())
    expect(seen.status).toBe(200)
    expect(seen.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect(JSON.parse(seen.text)).toEqual({ access_token: expect.stringMatching(/^[\w-]{43}$/) })
  })

  test('the method is POST, and only the body counts', async () => {
    const url = `${provider.oauthBase}/authorize`
    const refused = await ask(
      `${url}?app_id=${application.appID}&app_secret=${application.appSecret}&auth_key=${keyFor()}`,
    )
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
    const form = { app_id: application.appID, auth_key: keyFor() }
    const seen = await post(`${url}?app_secret=${application.appSecret}`, form)
    expect(seen.status).toBe(400)
  })

  test('JSON is refused', async () => {
    const body = JSON.stringify({ app_id: application.appID, app_secret: application.appSecret, auth_key: keyFor() })
    const headers = { 'content-type': 'application/json' }
    const seen = await ask(`${provider.oauthBase}/authorize`, { method: 'POST', body, headers })
    expect(seen.status).toBe(415)
  })

  test.each(['app_id', 'app_secret', 'auth_key'])('%s is required exactly once', async (name) => {
    const whole = { app_id: application.appID, app_secret: application.appSecret, auth_key: keyFor() }
    const without = new URLSearchParams(whole)
    without.delete(name)
    const twice = new URLSearchParams(whole)
    twice.append(name, 'again')
    for (const body of [without, twice]) {
      const seen = await ask(`${provider.oauthBase}/authorize`, { method: 'POST', body })
      expect(seen.status).toBe(400)
    }
  })

  test('a key works once', async () => {
    const key = keyFor()
    expect((await exchange(provider, application, key)).status).toBe(200)
    const seen = await exchange(provider, application, key)
    expect(seen.status).toBe(400)
    expect(JSON.parse(seen.text)).toEqual({ error: true, message: expect.any(String) })
  })

  test('two exchanges of one key at the same time get one token', async () => {
    const key = keyFor()
    const both = await Promise.all([exchange(provider, application, key), exchange(provider, application, key)])
    expect(both.map((seen) => seen.status).sort()).toEqual([200, 400])
  })

  test('a wrong secret is refused and does not consume the key', async () => {
    const key = keyFor()
    expect((await exchange(provider, { ...application, appSecret: 'wrong' }, key)).status).toBe(401)
    expect((await exchange(provider, application, key)).status).toBe(200)
  })

  test("a key is bound to its application: another one's is refused and not consumed", async () => {
    const other = provider.registerApplication({ name: 'Other', redirectURL: 'http://localhost:4000/' })
    const key = keyFor()
    expect((await exchange(provider, other, key)).status).toBe(400)
    expect((await exchange(provider, application, key)).status).toBe(200)
  })
})

describe('4.3 Get current user', () => {
  test('the bearer token and the content type are required', async () => {
    const token = await tokenFor(provider, application)
    const url = `${provider.baseURL}/user/me`
    expect((await ask(url, { headers: bearer(token) })).status).toBe(200)
    const withoutToken = await ask(url, { headers: { 'content-type': 'application/json' } })
    expect([withoutToken.status, withoutToken.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await ask(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(415)
  })

  test('the token is not read from the query', async () => {
    const token = await tokenFor(provider, application)
    const url = `${provider.baseURL}/user/me?access_token=${token}`
    expect((await ask(url, { headers: { 'content-type': 'application/json' } })).status).toBe(401)
  })

  test('an unknown token is refused', async () => {
    const seen = await userMe(provider, 'unknown')
    expect([seen.status, seen.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    // 7. Errors are JSON with error and message (our choice).
    expect(seen.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.parse(seen.text)).toEqual({ error: true, message: 'The access_token is unknown or expired.' })
  })

  test('the method is GET', async () => {
    const headers = bearer(await tokenFor(provider, application))
    expect((await ask(`${provider.baseURL}/user/me`, { method: 'POST', headers })).status).toBe(405)
  })

  test('a deleted person is answered with 404', async () => {
    const token = await tokenFor(provider, application, '2')
    expect(provider.removeUser('2')).toBe(true)
    expect((await userMe(provider, token)).status).toBe(404)
  })

  test('a change of the person is visible at once', async () => {
    const token = await tokenFor(provider, application)
    provider.updateUser('1', { user_email: 'new@people.example' })
    expect(JSON.parse((await userMe(provider, token)).text).user_email).toBe('new@people.example')
  })
})

describe('4.4 Get user info', () => {
  test('the token in the query returns the same record', async () => {
    const token = await tokenFor(provider, application)
    const seen = await userInfo(provider, token)
    expect(seen.status).toBe(200)
    expect(seen.text).toBe((await userMe(provider, token)).text)
  })

  test('the token is not read from the header', async () => {
    const headers = bearer(await tokenFor(provider, application))
    expect((await ask(`${provider.oauthBase}/get_user_info`, { headers })).status).toBe(401)
  })

  test('the method is GET, and an unknown token is refused', async () => {
    expect((await post(`${provider.oauthBase}/get_user_info`, {})).status).toBe(405)
    expect((await userInfo(provider, 'unknown')).status).toBe(401)
  })
})

test.each([
  ...['/api/token', '/api/v1', '/api/v1/users', '/api/v1/user/me/'],
  ...['/api/v1/oauth', '/api/v1/authorize', '/api/v1/get_user_info', '/api/v2/user/me', '/api/user/me'],
])('4.5, 9. there is no %s', async (path) => {
  expect((await ask(provider.origin + path, { headers: bearer('x') })).status).toBe(404)
})

test('5.6 a token lives for 24 hours (our choice)', async () => {
  const token = await tokenFor(provider, application)
  provider.clock.advance(24 * 3_600_000 - 5_000)
  expect((await userMe(provider, token)).status).toBe(200)
  provider.clock.advance(5_000)
  expect((await userMe(provider, token)).status).toBe(401)
})
