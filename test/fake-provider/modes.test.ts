import { type Application, asDeployed, FakeProvider, type ProviderMode } from '../../lib/testing'
import { ask, exchange, locationOf, post, signInAs, tokenFor, tokenIn, userMe } from '../support/provider-http'

// The modes that whole logins and the doctor's findings show are tested there: test/login, test/doctor/options.test.ts.

let provider: FakeProvider
let application: Application

async function start(mode: ProviderMode): Promise<void> {
  provider = await FakeProvider.start({ mode })
  application = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
}

afterEach(() => provider.stop())

function key(): string {
  return provider.issueAuthKey({ appID: application.appID, userID: '1' })
}

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
    // The servers that answer so read the query of a POST, too: PHP's `$_GET` is of any method.
    const byPost = await ask(`${provider.oauthBase}/authorize?${query}`, { method: 'POST' })
    expect(byPost.text.includes('"access_token":"')).toBe(status === 200)
    if (status !== 200)
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
