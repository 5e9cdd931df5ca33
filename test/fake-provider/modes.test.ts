import { type Application, asDeployed, FakeProvider, type ProviderMode } from '../../lib/testing'
import { ask, bearer, exchange, locationOf, post, signInAs, tokenFor, tokenIn, userMe } from '../support/provider-http'

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
  expect([again.status, locationOf(again).searchParams.has('auth_key')]).toStrictEqual([302, true])
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

test('the token may come in the body of a redirect to where it was asked for', async () => {
  await start({ redirectWithJSONBody: true })
  const seen = await exchange(provider, application, key())
  expect([seen.status, seen.headers.get('location')]).toStrictEqual([302, `${provider.oauthBase}/authorize`])
  expect(JSON.parse(seen.text)).toEqual({ access_token: expect.stringMatching(/./) })
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
    expect([seen.status, seen.headers.get('content-type')]).toStrictEqual([status, type])
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
    expect([seen.status, seen.headers.get('content-type')]).toStrictEqual([403, 'text/html; charset=utf-8'])
  }
  expect((await exchange(provider, application, authKey)).status).toBe(200)
  expect(provider.requests).toHaveLength(5)
})

test('JSON may be labelled HTML, follow a warning, and set a cookie', async () => {
  await start({ htmlContentType: true, scriptWarnings: true, sessionCookie: true })
  const seen = await exchange(provider, application, key())
  expect(seen.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(seen.headers.get('set-cookie')).toMatch(/^PHPSESSID=[0-9a-f]{26}; path=\/$/)
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

test('a record is as deployed servers send it, down to the texts of an older PHP', async () => {
  await start('as-deployed')
  const { origin } = provider
  const recordOf = async (userID: string): Promise<unknown> =>
    JSON.parse((await userMe(provider, await tokenFor(provider, application, userID))).text).user_info
  expect(await recordOf('3')).toEqual({
    user_id: '3',
    user_name: 'sinead.obrien',
    user_email: 'sinead@people.example',
    user_firstname: 'Sin&eacute;ad',
    user_lastname: 'O&#039;Brien',
    user_gender: 'female',
    user_birthdate: '1988-02-29',
    user_picture: 'pictures/3.svg',
    user_cover: 'covers/3.svg',
    user_verified: '0',
    user_registered: '2020-02-02 20:20:20',
    user_relationship: null,
    user_biography: 'Hello, I&#039;m Sin&eacute;ad &amp; glad to be here.',
    user_website: '',
    profile_picture: `${origin}/content/uploads/pictures/3.svg`,
    profile_cover: `${origin}/content/uploads/`,
  })
  provider.addUser({ user_id: '77', user_firstname: null, user_picture: 'https://elsewhere.example/a.png' })
  expect(await recordOf('77')).toMatchObject({
    user_firstname: null,
    user_picture: 'https://elsewhere.example/a.png',
    user_biography: 'Hello, I&#039;m new &amp; glad to be here.',
    profile_picture: 'https://elsewhere.example/a.png',
  })
  provider.setMode({ ...asDeployed, blankPictures: true })
  expect(await recordOf('3')).toMatchObject({ profile_picture: `${origin}/images/blank.svg` })
  provider.setMode({ ...asDeployed, relativePictures: false, encodeEntities: false })
  expect(await recordOf('3')).toMatchObject({
    user_picture: `${origin}/pictures/3.svg`,
    user_biography: "Hello, I'm Sinéad & glad to be here.",
    profile_picture: `${origin}/pictures/3.svg`,
  })
})

test('an outage is a page with status 200 at the three endpoints of the API, and not at the login page', async () => {
  await start({ htmlAtStatus200: true })
  const paths = ['/authorize', '/v1/user/me', '/get_user_info']
  const answers = await Promise.all(paths.map((path) => ask(provider.oauthBase + path)))
  const page =
    '<!doctype html><html lang="en"><title>We will be right back</title><h1>We will be right back</h1></html>'
  expect(answers.map(({ status, text }) => [status, text])).toEqual(paths.map(() => [200, page]))
  const login = await ask(`${provider.oauthBase}/oauth?app_id=${application.appID}`)
  expect([login.status, login.text]).toStrictEqual([200, expect.stringContaining('<h1>Sign in</h1>')])
})

test('an old server has no user/me, nor its own page for it', async () => {
  await start({ withoutUserMe: true })
  const { status, headers, text } = await userMe(provider, 'any')
  expect([status, headers.get('content-type'), text]).toStrictEqual([
    404,
    'text/html; charset=utf-8',
    '<!doctype html><html lang="en"><title>Not Found</title><h1>Not Found</h1></html>',
  ])
})

test('a site in a folder has its API there, and a page of its server at the root; its pictures are at the root', async () => {
  await start({ inFolder: true, relativePictures: true })
  expect(provider.baseURL).toBe(`${provider.origin}/community/api/v1`)
  const signedIn = await post(`${provider.origin}/sign-in`, { user_id: '1', app_id: application.appID })
  expect(signedIn.headers.get('location')).toBe(`/community/api/oauth?app_id=${application.appID}`)
  const atRoot = await ask(`${provider.origin}/api/authorize`)
  expect([atRoot.status, atRoot.headers.get('content-type'), atRoot.text]).toStrictEqual([
    404,
    'text/html; charset=utf-8',
    '<!doctype html><html lang="en"><title>Not Found</title><h1>Not Found</h1></html>',
  ])
  const { status, text } = await ask(`${provider.oauthBase}/nothing`)
  expect([status, JSON.parse(text)]).toStrictEqual([404, { error: true, message: 'There is nothing here.' }])
  for (const path of ['pictures/1.svg', 'covers/1.svg']) {
    const picture = await ask(`${provider.origin}/content/uploads/${path}`)
    expect([picture.status, picture.text]).toStrictEqual([200, (await ask(`${provider.origin}/${path}`)).text])
  }
  expect((await ask(`${provider.origin}/content/uploads/style.css`)).status).toBe(404)
})

test('loose servers read what PHP reads: a slash behind the path, a form of either kind, and a token by any method', async () => {
  await start('specification')
  const statuses = async (): Promise<number[]> => {
    const { oauthBase, baseURL } = provider
    const form = { app_id: application.appID, app_secret: application.appSecret, auth_key: key() }
    const multipart = new FormData()
    for (const [name, value] of Object.entries({ ...form, auth_key: key() })) multipart.append(name, value)
    const access_token = await tokenFor(provider, application)
    const answers = [
      await post(`${oauthBase}/authorize/`, form),
      await ask(`${oauthBase}/authorize`, { method: 'POST', body: multipart }),
      await userMe({ baseURL }, access_token),
      await ask(`${baseURL}/user/me/`, { headers: bearer(access_token) }),
      await post(`${oauthBase}/get_user_info`, { access_token }),
      await post(`${oauthBase}/oauth?app_id=${application.appID}`, {}),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses()).toStrictEqual([404, 415, 200, 404, 405, 405])
  provider.setMode({ looseRequests: true })
  expect(await statuses()).toStrictEqual([200, 200, 200, 200, 200, 200])
})
