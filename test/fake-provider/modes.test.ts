import {
  type Application,
  asDeployed,
  FakeProvider,
  type ProviderBehaviours,
  type ProviderMode,
} from '../../lib/testing'
import {
  ask,
  exchange,
  locationOf,
  post,
  signInAs,
  tokenFor,
  tokenIn,
  userInfo,
  userMe,
} from '../support/provider-http'

let provider: FakeProvider
let application: Application

async function start(mode: ProviderMode, redirectURL = 'http://localhost:3000/cb'): Promise<void> {
  provider = await FakeProvider.start({ mode })
  application = provider.registerApplication({ name: 'My app', redirectURL })
}

afterEach(() => provider.stop())

async function approvedLocation(): Promise<string> {
  const cookie = await signInAs(provider, '1')
  const form = { app_id: application.appID, decision: 'approve' }
  const seen = await post(`${provider.origin}/approval`, form, { cookie })
  return seen.headers.get('location') ?? ''
}

function key(): string {
  return provider.issueAuthKey({ appID: application.appID, userID: '1' })
}

test('errors at status 200: only the body shows them', async () => {
  await start({ errorsAtStatus200: true })
  const refused = await exchange(provider, application, 'unknown')
  expect([refused.status, JSON.parse(refused.text).error]).toEqual([200, true])
  expect((await userInfo(provider, 'unknown')).status).toBe(200)
})

test.each<[Partial<ProviderBehaviours>, registered: string, location: RegExp]>([
  [{ appendAuthKeyBlindly: true }, '/cb?a=1', /\/cb\?a=1\?auth_key=\w/],
  [{ appendAuthKeyBlindly: true }, '/cb#top', /\/cb#top\?auth_key=\w/],
  [{ escapeRedirectAmpersands: true }, '/cb?a=1&b=2', /\/cb\?a=1&amp;b=2&amp;auth_key=\w/],
])('%j leads to %s with a key that applications cannot find', async (mode, registered, location) => {
  await start(mode, `http://localhost:3000${registered}`)
  expect(await approvedLocation()).toMatch(location)
})

test('silent re-approval: the first approval is remembered without asking', async () => {
  await start({ silentReapproval: true })
  const cookie = await signInAs(provider, '1')
  const url = `${provider.oauthBase}/oauth?app_id=${application.appID}`
  expect((await ask(url, { headers: { cookie } })).status).toBe(200)
  await post(`${provider.origin}/approval`, { app_id: application.appID, decision: 'approve' }, { cookie })
  const again = await ask(url, { headers: { cookie } })
  expect([again.status, locationOf(again).searchParams.has('auth_key')]).toEqual([302, true])
})

test('a second visit replaces the key of the first', async () => {
  await start({ replaceKeyOnVisit: true })
  const first = key()
  const others = provider.issueAuthKey({ appID: application.appID, userID: '2' })
  const second = key()
  expect((await exchange(provider, application, first)).status).toBe(400)
  expect((await exchange(provider, application, second)).status).toBe(200)
  expect((await exchange(provider, application, others)).status).toBe(200)
})

test('one-minute tokens, reused within their minute', async () => {
  await start({ tokenLifetime: 60_000, reuseToken: true })
  const token = await tokenFor(provider, application)
  provider.clock.advance(50_000)
  expect(await tokenFor(provider, application)).toBe(token)
  expect((await userMe(provider, token)).status).toBe(200)
  provider.clock.advance(10_000)
  expect((await userMe(provider, token)).status).toBe(401)
  expect(await tokenFor(provider, application)).not.toBe(token)
})

test.each<[Partial<ProviderBehaviours>, userID: string, record: object]>([
  [{ wrapUser: 'user_info' }, '1', { user_info: expect.objectContaining({ user_id: 1 }) }],
  [{ wrapUser: 'data' }, '1', { data: expect.objectContaining({ user_id: 1 }) }],
  [{ stringTypes: true }, '9007199254740993', { user_id: '9007199254740993', user_verified: '1' }],
  [{ encodeEntities: true }, '3', { user_firstname: 'Sin&eacute;ad', user_lastname: 'O&#039;Brien' }],
  [{ relativePictures: true }, '1', { user_picture: 'pictures/1.svg', user_cover: 'covers/1.svg' }],
])('%j answers the person %s as %j', async (mode, userID, record) => {
  await start(mode)
  const { text } = await userMe(provider, await tokenFor(provider, application, userID))
  expect(JSON.parse(text)).toMatchObject(record)
})

test('a deleted person may be an empty array', async () => {
  await start({ goneUserAsEmptyArray: true })
  const token = await tokenFor(provider, application)
  provider.removeUser('1')
  expect(await userInfo(provider, token)).toMatchObject({ status: 200, text: '[]' })
})

test('302 with a JSON body: the key is spent, the token is in the body', async () => {
  await start({ redirectWithJSONBody: true })
  const spent = key()
  const seen = await exchange(provider, application, spent)
  expect(seen.status).toBe(302)
  expect((await userMe(provider, tokenIn(seen.text))).status).toBe(200)
  expect((await exchange(provider, application, spent)).status).toBe(400)
})

test('HTML at 200: the API is under maintenance, the key is kept', async () => {
  await start({ htmlAtStatus200: true })
  const kept = key()
  for (const seen of [
    await exchange(provider, application, kept),
    await userMe(provider, 'x'),
    await userInfo(provider, 'x'),
  ]) {
    expect([seen.status, seen.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }
  provider.setMode('specification')
  expect((await exchange(provider, application, kept)).status).toBe(200)
})

test.each([
  ['method-not-allowed', 405, 'application/json; charset=utf-8'],
  ['not-found', 404, 'text/html; charset=utf-8'],
  ['invalid-app-id', 200, 'application/json; charset=utf-8'],
] as const)('GET-only servers may answer a POST with %s, and keep the key', async (postAnswer, status, type) => {
  await start('specification')
  for (const errorsAtStatus200 of [false, true]) {
    provider.setMode({ getOnly: true, postAnswer, errorsAtStatus200 })
    const authKey = key()
    const seen = await exchange(provider, application, authKey)
    expect([seen.status, seen.headers.get('content-type')]).toEqual([status, type])
    if (status === 200) expect(JSON.parse(seen.text)).toEqual({ error: true, message: 'invalid app_id' })
    const query = new URLSearchParams({
      app_id: application.appID,
      app_secret: application.appSecret,
      auth_key: authKey,
    })
    expect((await ask(`${provider.oauthBase}/authorize?${query}`)).text).toContain('"access_token":"')
  }
})

test('a firewall may refuse requests without a User-Agent with a page, before anything is done', async () => {
  await start({ requireUserAgent: true })
  const authKey = key()
  const without = { 'user-agent': '' }
  for (const path of ['/authorize', '/v1/user/me', '/get_user_info', '/oauth']) {
    const seen = await ask(provider.oauthBase + path, { headers: without })
    expect([seen.status, seen.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  }
  expect((await exchange(provider, application, authKey)).status).toBe(200)
  expect(provider.requests).toHaveLength(5)
})

test('JSON may be labelled HTML, follow a warning, and set a cookie', async () => {
  await start({ htmlContentType: true, scriptWarnings: true, sessionCookie: true })
  const seen = await exchange(provider, application, key())
  expect(seen.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(seen.headers.get('set-cookie')).toMatch(/^PHPSESSID=/)
  expect(seen.text).toMatch(/^<br \/>\n<b>Warning<\/b>.*\{"access_token":"[^"]+"\}$/s)
})

test('a legacy-only server has no user/me', async () => {
  await start({ withoutUserMe: true })
  const token = await tokenFor(provider, application)
  expect((await userMe(provider, token)).status).toBe(404)
  expect((await userInfo(provider, token)).status).toBe(200)
  // There is no API that could answer with status 200.
  provider.setMode({ ...asDeployed, withoutUserMe: true })
  const missing = await userMe(provider, token)
  expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
})

test('the preset as-deployed behaves like most servers, and can be changed', async () => {
  await start('as-deployed')
  const authKey = key()
  expect(authKey).toMatch(/^[0-9a-f]{32}$/)
  provider.clock.advance(365 * 24 * 3_600_000)
  const token = tokenIn((await exchange(provider, application, authKey)).text)
  const { text } = await ask(`${provider.baseURL}/user/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(JSON.parse(text)).toEqual({ user_info: expect.objectContaining({ user_id: '1', user_website: '' }) })
  provider.setMode({ ...asDeployed, wrapUser: false })
  expect(provider.behaviours).toEqual({ ...asDeployed, wrapUser: false })
})
