import { type Application, FakeProvider } from '../../lib/testing'
import {
  ask,
  exchange,
  locationOf,
  post,
  type Seen,
  signInAs,
  tokenFor,
  tokenIn,
  userMe,
} from '../support/provider-http'

const tenFields = [
  'user_id',
  'user_name',
  'user_email',
  'user_firstname',
  'user_lastname',
  'user_gender',
  'user_birthdate',
  'user_picture',
  'user_cover',
  'user_verified',
]

let provider: FakeProvider
let application: Application

beforeEach(async () => {
  provider = await FakeProvider.start()
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
})

afterEach(() => provider.stop())

async function visit(query = `app_id=${application.appID}`, cookie = ''): Promise<Seen> {
  return ask(`${provider.oauthBase}/oauth?${query}`, { headers: { cookie } })
}

async function decide(cookie: string, decision: string, more: Record<string, string> = {}): Promise<Seen> {
  return post(`${provider.origin}/approval`, { app_id: application.appID, decision, ...more }, { cookie })
}

describe('1. What the service does', () => {
  test('{base_url} ends in v1 and {oauth_base} is its parent', () => {
    expect(provider.baseURL).toBe(`${provider.origin}/api/v1`)
    expect(`${provider.oauthBase}/v1`).toBe(provider.baseURL)
  })

  test('a person signs in, approves, and the application reads the profile', async () => {
    const cookie = await signInAs(provider, '1')
    const location = locationOf(await decide(cookie, 'approve'))
    const token = tokenIn((await exchange(provider, application, location.searchParams.get('auth_key') ?? '')).text)
    expect(JSON.parse((await userMe(provider, token)).text)).toMatchObject({ user_id: 1, user_name: 'ada' })
  })
})

describe('2.1 Application', () => {
  test('registration in the dashboard produces an id and a secret', async () => {
    await post(`${provider.origin}/developers`, { name: 'Second', redirect_url: 'https://second.example/cb' })
    const second = provider.applications[1]
    expect(second).toMatchObject({ name: 'Second', redirectURL: 'https://second.example/cb' })
    expect(second?.appID).toMatch(/^\S{16,}$/)
    expect(second?.appSecret).toMatch(/^\S{32,}$/)
  })

  test('there is no API endpoint for registration', async () => {
    expect((await post(`${provider.oauthBase}/register`, { name: 'x' })).status).toBe(404)
  })

  test('people return to the registered redirect URL and to no other', async () => {
    const cookie = await signInAs(provider, '1')
    const other = 'redirect_uri=http://evil.example/&redirect_url=http://evil.example/'
    expect((await visit(`app_id=${application.appID}&${other}`, cookie)).text).not.toContain('evil.example')
    const location = locationOf(await decide(cookie, 'approve', { redirect_uri: 'http://evil.example/' }))
    expect(location.origin + location.pathname).toBe('http://localhost:3000/cb')
  })
})

describe('2.2 User', () => {
  test('the record is a JSON object with exactly the ten fields', async () => {
    const { text } = await userMe(provider, await tokenFor(provider, application))
    expect(Object.keys(JSON.parse(text))).toEqual(tenFields)
  })

  test('ids beyond 2^53 keep every digit', async () => {
    provider.addUser({ user_id: 123456789012345678901234567890n })
    const { text } = await userMe(provider, await tokenFor(provider, application, '123456789012345678901234567890'))
    expect(text).toContain('"user_id":123456789012345678901234567890,')
  })

  test('non-numeric ids are strings', async () => {
    for (const id of ['007', 'a"b', '1e3']) {
      provider.addUser({ user_id: id })
      const { text } = await userMe(provider, await tokenFor(provider, application, id))
      expect(JSON.parse(text).user_id).toBe(id)
    }
  })

  test('the pictures are absolute URLs that the provider serves itself', async () => {
    const user = JSON.parse((await userMe(provider, await tokenFor(provider, application))).text)
    for (const url of [user.user_picture, user.user_cover]) {
      const picture = await ask(url)
      expect(picture.status).toBe(200)
      expect(picture.headers.get('content-type')).toBe('image/svg+xml')
      expect(picture.text).toMatch(/^<svg /)
    }
  })

  test('empty fields are null', async () => {
    const { text } = await userMe(provider, await tokenFor(provider, application, '5'))
    expect(JSON.parse(text)).toMatchObject({ user_id: 5, user_email: null, user_picture: null, user_verified: false })
  })
})

describe('4.1 Start login', () => {
  test('app_id is required exactly once', async () => {
    expect((await visit('')).status).toBe(400)
    expect((await visit(`app_id=${application.appID}&app_id=${application.appID}`)).status).toBe(400)
  })

  test('an unknown app_id gets no login page', async () => {
    expect((await visit('app_id=unknown')).status).toBe(404)
  })

  test('the method is GET', async () => {
    const seen = await post(`${provider.oauthBase}/oauth?app_id=${application.appID}`, {})
    expect([seen.status, seen.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('a person who is not signed in must sign in first', async () => {
    const seen = await visit()
    expect(seen.status).toBe(200)
    expect(seen.text).toContain('<h1>Sign in</h1>')
  })

  test('the approval step names the application', async () => {
    const seen = await visit(undefined, await signInAs(provider, '1'))
    expect(seen.text).toContain('<h1>Continue to My app?</h1>')
  })

  test('approval redirects to the redirect URL with auth_key', async () => {
    const seen = await decide(await signInAs(provider, '1'), 'approve')
    expect(seen.status).toBe(302)
    expect(seen.headers.get('location')).toMatch(/^http:\/\/localhost:3000\/cb\?auth_key=[\w-]{43}$/)
  })

  test('auth_key is appended to an existing query, before a fragment', async () => {
    provider.updateApplication(application.appID, { redirectURL: 'http://localhost:3000/cb?a=b%20c#top' })
    const seen = await decide(await signInAs(provider, '1'), 'approve')
    expect(seen.headers.get('location')).toMatch(/^http:\/\/localhost:3000\/cb\?a=b%20c&auth_key=[\w-]{43}#top$/)
  })

  test('state and other parameters are neither kept nor echoed', async () => {
    const cookie = await signInAs(provider, '1')
    expect((await visit(`app_id=${application.appID}&state=xyzzy`, cookie)).text).not.toContain('xyzzy')
    expect([...locationOf(await decide(cookie, 'approve')).searchParams.keys()]).toEqual(['auth_key'])
  })

  test('Cancel redirects to the home page of the provider and not to the application', async () => {
    const seen = await decide(await signInAs(provider, '1'), 'cancel')
    expect([seen.status, seen.headers.get('location')]).toEqual([303, '/'])
  })

  test('the step is shown at every login, until the person asks to be remembered', async () => {
    const cookie = await signInAs(provider, '1')
    await decide(cookie, 'approve')
    expect((await visit(undefined, cookie)).status).toBe(200)
    await decide(cookie, 'approve', { remember: 'yes' })
    const seen = await visit(undefined, cookie)
    expect(seen.status).toBe(302)
    expect(locationOf(seen).searchParams.get('auth_key')).toMatch(/^[\w-]{43}$/)
  })
})
