// Quoted: test with jest in CommonJS
const { OUTCOMES } = require('passport-social-login')
const { FakeProvider, providerNavigation, sameOriginNavigation } = require('passport-social-login/testing')
const supertest = require('supertest')
const { createApp } = require('./your-app')

let provider, appID, browser

beforeEach(async () => {
  provider = await FakeProvider.start()
  const application = provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback' })
  appID = application.appID
  const app = createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: application.appSecret })
  browser = supertest.agent(app)
  await browser.get('/auth').set(sameOriginNavigation).expect(302)
})

afterEach(() => provider.stop())

test('a person signs in and sees the profile', async () => {
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect(302)
  await browser.get('/profile').expect(200, 'Hello, Ada Lovelace')
})

test('a login that takes more than ten minutes has expired', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60 * 1000)
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/login')
  await browser.get('/login').expect(200, OUTCOMES.login_expired.message)
  clock.mockRestore()
})
// end
