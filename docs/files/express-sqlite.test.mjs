import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { FakeProvider, providerNavigation, sameOriginNavigation, signIn } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from './app.mjs'

const origin = 'http://localhost:3000'
const ownPage = { 'sec-fetch-site': 'same-origin' }
let provider, app

beforeEach(async () => {
  provider = await FakeProvider.start()
  const register = (name, path) => {
    const { appID, appSecret } = provider.registerApplication({ name, redirectURL: origin + path })
    return { clientID: appID, clientSecret: appSecret }
  }
  const login = register('My app', '/auth/social-login/callback')
  const link = register('My app, links', '/account/link/callback')
  app = createApp({ origin, baseURL: provider.baseURL, ...login, link, file: ':memory:', sessionSecret: 'for tests' })
})
afterEach(() => provider.stop())

/** Ada is signed in. She adds the account of user 2, Alan. Resolves with her account page. */
async function linkAlan(cookie) {
  const { location } = await signIn(app, { provider, start: '/account/link', method: 'POST', user: '2', cookie })
  const question = await supertest(app).get(location).set('Cookie', cookie).expect(200)
  const [, id] = /name="id" value="([^"]+)"/.exec(question.text)
  const answer = supertest(app)
    .post(location)
    .set({ ...ownPage, cookie })
  const { headers } = await answer.type('form').send({ id }).expect(302)
  return supertest(app).get(headers.location).set('Cookie', cookie).expect(200)
}

test('a user signs in, and out again', async () => {
  const browser = supertest.agent(app)
  await signIn(browser, { provider })
  await browser
    .get('/account')
    .expect(200)
    .expect(/Ada Lovelace/)
  await browser.post('/logout').expect('Location', '/')
  await browser.get('/account').expect(302)
})

test('a user returns to the page that asked for the login', async () => {
  const browser = supertest.agent(app)
  const { headers } = await browser.get('/orders?year=2026').expect(302)
  const { text } = await browser.get(headers.location).expect(200)
  const [, start] = /href="([^"]+)"/.exec(text)
  assert.equal((await signIn(browser, { provider, start })).location, '/orders?year=2026')
})

test('a refused key has a text, and a link that leads to the same page', async () => {
  const browser = supertest.agent(app)
  await browser.get('/auth/social-login?returnTo=/orders').set(sameOriginNavigation).expect(302)
  const callback = browser.get('/auth/social-login/callback?auth_key=a-guess').set(providerNavigation)
  const { headers } = await callback.expect('Location', '/login?reason=auth_key_rejected&returnTo=%2Forders')
  const { text } = await browser.get(headers.location).expect(200)
  assert.match(text, /The provider did not confirm the login/)
  assert.match(text, /href="\/auth\/social-login\?returnTo=%2Forders"/)
})

test('an outage of the provider is for the operator, and the user reads that it may pass', async () => {
  const browser = supertest.agent(app)
  const logIn = async () => {
    provider.failNext('authorize', { status: 503 })
    await browser.get('/auth/social-login?returnTo=/orders').set(sameOriginNavigation).expect(302)
    const authKey = provider.issueAuthKey({ appID: provider.applications[0].appID, userID: '1' })
    const callback = browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation)
    const { headers } = await callback.expect('Location', '/login?reason=provider_unavailable&returnTo=%2Forders')
    await browser.get(headers.location).expect(/Please try again later/)
  }
  await logIn()
  await signIn(browser, { provider })
  await logIn() // once more, as a user who is signed in: no account was to be added
})

test('a second account is linked, and signs in the same user', async () => {
  const { cookie } = await signIn(app, { provider })
  assert.match((await linkAlan(cookie)).text, /You can now sign in with this account/)
  const alan = await signIn(app, { provider, user: '2' })
  await supertest(app)
    .get('/account')
    .set('Cookie', alan.cookie)
    .expect(/Ada Lovelace/)
  assert.match((await linkAlan(cookie)).text, /You can now sign in with this account/) // once more: nothing changes
})

test('the account of another user is not linked', async () => {
  const alan = await signIn(app, { provider, user: '2' })
  const { cookie } = await signIn(app, { provider })
  assert.match((await linkAlan(cookie)).text, /Another user here already has this account/)
  await supertest(app)
    .get('/account')
    .set('Cookie', alan.cookie)
    .expect(/Alan Turing/)
})

test('a login is removed, which signs out the other browsers, and the last one stays', async () => {
  const { cookie } = await signIn(app, { provider })
  const elsewhere = await signIn(app, { provider })
  await linkAlan(cookie)
  const remove = (subject, headers = ownPage) => {
    const request = supertest(app)
      .post('/account/logins/remove')
      .set({ ...headers, cookie })
    return request.type('form').send({ provider: 'social-login', subject })
  }
  await remove('1', { 'sec-fetch-site': 'same-site' }).expect(403)
  await remove('1').expect('Location', '/account?notice=removed')
  await remove('2').expect('Location', '/account?notice=not-removed')
  await supertest(app).get('/account').set('Cookie', cookie).expect(200)
  await supertest(app).get('/account').set('Cookie', elsewhere.cookie).expect(302)
})
