import { type Application, FakeProvider } from '../../lib/testing'
import {
  ask,
  bearer,
  exchange,
  locationOf,
  post,
  type Seen,
  signInAs,
  tokenFor,
  tokenIn,
  userInfo,
  userMe,
} from '../support/provider-http'

// The sections of the specification.

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

function visit(query = `app_id=${application.appID}`, cookie = ''): Promise<Seen> {
  return ask(`${provider.oauthBase}/oauth?${query}`, { headers: { cookie } })
}

function decide(cookie: string, decision: string, more: Record<string, string> = {}): Promise<Seen> {
  return post(`${provider.origin}/approval`, { app_id: application.appID, decision, ...more }, { cookie })
}

async function recordOf(userID: string): Promise<string> {
  return (await userMe(provider, await tokenFor(provider, application, userID))).text
}

test('1. A user signs in, approves, and the application reads the profile', async () => {
  expect([provider.baseURL, provider.oauthBase]).toStrictEqual([`${provider.origin}/api/v1`, `${provider.origin}/api`])
  const location = locationOf(await decide(await signInAs(provider, '1'), 'approve'))
  const token = tokenIn((await exchange(provider, application, location.searchParams.get('auth_key') ?? '')).text)
  expect(JSON.parse((await userMe(provider, token)).text)).toMatchObject({ user_id: 1, user_name: 'ada' })
})

describe('2.1 Application', () => {
  test('registration in the dashboard, and nowhere else, produces an id and a secret', async () => {
    await post(`${provider.origin}/developers`, { name: 'Second', redirect_url: 'https://second.example/cb' })
    const second = provider.applications[1]
    expect(second).toMatchObject({ name: 'Second', redirectURL: 'https://second.example/cb' })
    expect(second?.appID).toMatch(/^\S{16,}$/)
    expect(second?.appSecret).toMatch(/^\S{32,}$/)
    expect((await post(`${provider.oauthBase}/register`, { name: 'x' })).status).toBe(404)
  })

  test('users return to the registered redirect URL and to no other', async () => {
    const cookie = await signInAs(provider, '1')
    const other = 'redirect_uri=http://evil.example/&redirect_url=http://evil.example/'
    expect((await visit(`app_id=${application.appID}&${other}`, cookie)).text).not.toContain('evil.example')
    const location = locationOf(await decide(cookie, 'approve', { redirect_uri: 'http://evil.example/' }))
    expect(location.origin + location.pathname).toBe('http://localhost:3000/cb')
  })
})

describe('2.2 User', () => {
  test('the record is a JSON object with exactly the ten fields, of which the empty ones are null', async () => {
    expect(JSON.parse(await recordOf('5'))).toEqual({
      ...{ user_id: 5, user_name: expect.any(String), user_email: null, user_firstname: null, user_lastname: null },
      ...{ user_gender: null, user_birthdate: null, user_picture: null, user_cover: null, user_verified: false },
    })
  })

  test('ids beyond 2^53 keep every digit, and non-numeric ids are strings', async () => {
    for (const [id, text] of [
      [123456789012345678901234567890n, '123456789012345678901234567890'],
      ['007', '"007"'],
      ['a"b', '"a\\"b"'],
      ['1e3', '"1e3"'],
    ] as const) {
      provider.addUser({ user_id: id })
      expect(await recordOf(String(id))).toContain(`"user_id":${text},`)
    }
  })

  test('the pictures are absolute URLs that the provider serves itself', async () => {
    const user = JSON.parse(await recordOf('1'))
    for (const url of [user.user_picture, user.user_cover]) {
      const picture = await ask(url)
      expect([picture.status, picture.headers.get('content-type')]).toStrictEqual([200, 'image/svg+xml'])
      expect(picture.text).toMatch(/^<svg /)
    }
  })
})

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

describe('4.1 Start login', () => {
  test('a GET with the app_id of an application, exactly once, redirects to the sign-in', async () => {
    const { appID } = application
    expect((await visit('')).status).toBe(400)
    expect((await visit(`app_id=${appID}&app_id=${appID}`)).status).toBe(400)
    expect((await visit('app_id=unknown')).status).toBe(404)
    const posted = await post(`${provider.oauthBase}/oauth?app_id=${appID}`, {})
    expect([posted.status, posted.headers.get('allow')]).toStrictEqual([405, 'GET'])
    const seen = await visit()
    expect([seen.status, seen.text]).toStrictEqual([200, expect.stringContaining('<h1>Sign in</h1>')])
  })

  test.each([
    ['cb', /^http:\/\/localhost:3000\/cb\?auth_key=[\w-]{43}$/],
    ['cb?a=b%20c#top', /^http:\/\/localhost:3000\/cb\?a=b%20c&auth_key=[\w-]{43}#top$/],
  ])('approval redirects to the redirect URL %s with auth_key in its query', async (path, location) => {
    provider.updateApplication(application.appID, { redirectURL: `http://localhost:3000/${path}` })
    const seen = await decide(await signInAs(provider, '1'), 'approve')
    expect([seen.status, seen.headers.get('location')]).toStrictEqual([302, expect.stringMatching(location)])
  })

  test('state and other parameters are neither kept nor echoed', async () => {
    const cookie = await signInAs(provider, '1')
    expect((await visit(`app_id=${application.appID}&state=xyzzy`, cookie)).text).not.toContain('xyzzy')
    expect([...locationOf(await decide(cookie, 'approve')).searchParams.keys()]).toStrictEqual(['auth_key'])
  })

  test('Cancel redirects to the home page of the provider and not to the application', async () => {
    const seen = await decide(await signInAs(provider, '1'), 'cancel')
    expect([seen.status, seen.headers.get('location')]).toStrictEqual([303, '/'])
  })

  test('the step, which names the application, is shown at every login, until the user asks to be remembered', async () => {
    const cookie = await signInAs(provider, '1')
    await decide(cookie, 'approve')
    expect((await visit(undefined, cookie)).text).toContain('<h1>Continue to My app?</h1>')
    await decide(cookie, 'approve', { remember: 'yes' })
    const seen = await visit(undefined, cookie)
    expect([seen.status, locationOf(seen).searchParams.has('auth_key')]).toStrictEqual([302, true])
  })
})

describe('4.2 Exchange auth key for access token', () => {
  test('a form with app_id, app_secret and auth_key is answered with access_token and nothing else', async () => {
    const seen = await exchange(provider, application, keyFor())
    expect([seen.status, seen.headers.get('cache-control')]).toStrictEqual([200, 'no-store'])
    expect(seen.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.parse(seen.text)).toEqual({ access_token: expect.stringMatching(/^[\w-]{43}$/) })
  })

  test('only a form counts: no query, and no JSON', async () => {
    const url = `${provider.oauthBase}/authorize`
    const form = { app_id: application.appID, app_secret: application.appSecret, auth_key: keyFor() }
    const got = await ask(`${url}?${new URLSearchParams(form)}`)
    expect([got.status, got.headers.get('allow')]).toStrictEqual([405, 'POST'])
    const { app_secret, ...others } = form
    expect((await post(`${url}?app_secret=${app_secret}`, others)).status).toBe(400)
    const headers = { 'content-type': 'application/json' }
    expect((await ask(url, { method: 'POST', body: JSON.stringify(form), headers })).status).toBe(415)
    expect((await post(url, form)).status).toBe(200)
  })

  test.each(['app_id', 'app_secret', 'auth_key'])('%s is required exactly once', async (name) => {
    const whole = { app_id: application.appID, app_secret: application.appSecret, auth_key: keyFor() }
    const [without, twice] = [new URLSearchParams(whole), new URLSearchParams(whole)]
    without.delete(name)
    twice.append(name, 'again')
    for (const body of [without, twice]) {
      expect((await ask(`${provider.oauthBase}/authorize`, { method: 'POST', body })).status).toBe(400)
    }
  })

  test('a key works once, also when it is exchanged twice at the same time', async () => {
    const key = keyFor()
    const both = await Promise.all([exchange(provider, application, key), exchange(provider, application, key)])
    expect(both.map((seen) => seen.status).sort()).toStrictEqual([200, 400])
    const seen = await exchange(provider, application, key)
    expect([seen.status, JSON.parse(seen.text)]).toStrictEqual([400, { error: true, message: expect.any(String) }])
  })

  test('a wrong secret and another application are refused, and do not consume the key', async () => {
    const key = keyFor()
    const other = provider.registerApplication({ name: 'Other', redirectURL: 'http://localhost:4000/' })
    expect((await exchange(provider, { ...application, appSecret: 'wrong' }, key)).status).toBe(401)
    expect((await exchange(provider, other, key)).status).toBe(400)
    expect((await exchange(provider, application, key)).status).toBe(200)
  })
})

describe('4.3 Get current user', () => {
  test('a GET with the bearer token and the content type is required', async () => {
    const token = await tokenFor(provider, application)
    const url = `${provider.baseURL}/user/me`
    const json = { 'content-type': 'application/json' }
    expect((await ask(url, { headers: bearer(token) })).status).toBe(200)
    const inWords = { ...bearer(token), 'content-type': 'Application/JSON ; charset=utf-8' }
    expect((await ask(url, { headers: inWords })).status).toBe(200)
    const withoutToken = await ask(url, { headers: json })
    expect([withoutToken.status, withoutToken.headers.get('www-authenticate')]).toStrictEqual([401, 'Bearer'])
    expect((await ask(`${url}?access_token=${token}`, { headers: json })).status).toBe(401)
    expect((await ask(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(415)
    expect((await ask(url, { method: 'POST', headers: bearer(token) })).status).toBe(405)
  })

  test('an unknown token is refused', async () => {
    const seen = await userMe(provider, 'unknown')
    expect([seen.status, seen.headers.get('www-authenticate')]).toStrictEqual([401, 'Bearer error="invalid_token"'])
    // 7. Errors are JSON with error and message (our choice).
    expect(seen.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.parse(seen.text)).toEqual({ error: true, message: 'The access_token is unknown or expired.' })
  })

  test('a change of the user is visible immediately, and a deleted user is answered with 404', async () => {
    const token = await tokenFor(provider, application, '2')
    provider.updateUser('2', { user_email: 'new@people.example' })
    expect(JSON.parse((await userMe(provider, token)).text).user_email).toBe('new@people.example')
    expect(provider.removeUser('2')).toBe(true)
    expect((await userMe(provider, token)).status).toBe(404)
  })
})

test('4.4 Get user info: a GET with the token in the query, and nowhere else, returns the same record', async () => {
  const token = await tokenFor(provider, application)
  const seen = await userInfo(provider, token)
  expect([seen.status, seen.text]).toStrictEqual([200, (await userMe(provider, token)).text])
  const url = `${provider.oauthBase}/get_user_info`
  expect((await ask(url, { headers: bearer(token) })).status).toBe(401)
  expect((await post(url, {})).status).toBe(405)
  expect((await userInfo(provider, 'unknown')).status).toBe(401)
})

test('4.5, 9. There are no other addresses', async () => {
  for (const path of [
    '/api/token',
    '/api/v1',
    '/api/v1/users',
    '/api/v1/user/me/',
    '/api/v1/oauth',
    '/api/v2/user/me',
  ]) {
    expect([path, (await ask(provider.origin + path, { headers: bearer('x') })).status]).toStrictEqual([path, 404])
  }
})

test('5.6 A token lives for 24 hours (our choice)', async () => {
  const token = await tokenFor(provider, application)
  provider.clock.advance(24 * 3_600_000 - 5_000)
  expect((await userMe(provider, token)).status).toBe(200)
  provider.clock.advance(5_000)
  expect((await userMe(provider, token)).status).toBe(401)
})
