// Quoted: test with vitest
import { OUTCOMES } from 'passport-social-login'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import supertest from 'supertest'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { createApp } from './your-app'

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
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/login')
  await browser.get('/login').expect(200, OUTCOMES.login_expired.message)
  vi.useRealTimers()
})
// end
