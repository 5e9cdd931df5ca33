const { OUTCOMES } = require('passport-social-login')
const { FakeProvider, providerNavigation, sameOriginNavigation, signIn } = require('passport-social-login/testing')
const supertest = require('supertest')
const { createApp } = require('./your-app')

let provider, application, browser

beforeEach(async () => {
  provider = await FakeProvider.start()
  const redirectURL = 'http://localhost:3000/auth/social-login/callback'
  application = provider.registerApplication({ name: 'My app', redirectURL })
  const { appID, appSecret } = application
  browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))
})

afterEach(() => provider.stop())

test('a user signs in and sees the profile', async () => {
  await signIn(browser, { provider })
  await browser.get('/profile').expect(200, { id: '1', name: 'Ada Lovelace' })
})

test('an outage of the provider is an error', async () => {
  provider.failNext('authorize', { status: 503 })
  await expect(signIn(browser, { provider })).rejects.toThrow('provider_unavailable')
})

test('a login that takes too long has expired', async () => {
  await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60 * 1000)
  const authKey = provider.issueAuthKey({ appID: application.appID, userID: '1' })
  await browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/')
  clock.mockRestore()
  expect((await browser.get('/')).text).toContain(OUTCOMES.login_expired.message)
})
