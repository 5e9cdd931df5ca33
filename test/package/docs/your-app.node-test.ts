// Quoted: test with node:test
import { test } from 'node:test'
import { OUTCOMES } from 'passport-social-login'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from './your-app'

test('the login', async (t) => {
  const provider = await FakeProvider.start()
  t.after(() => provider.stop())
  const { appID, appSecret } = provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback' })
  const app = createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret })

  await t.test('signs a person in, who sees the profile', async () => {
    const browser = supertest.agent(app)
    await browser.get('/auth').set(sameOriginNavigation).expect(302)
    const authKey = provider.issueAuthKey({ appID, userID: '1' })
    await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect(302)
    await browser.get('/profile').expect(200, 'Hello, Ada Lovelace')
  })

  await t.test('expires after ten minutes', async ({ mock }) => {
    const browser = supertest.agent(app)
    await browser.get('/auth').set(sameOriginNavigation).expect(302)
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * 60 * 1000 })
    const authKey = provider.issueAuthKey({ appID, userID: '1' })
    await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/login')
    await browser.get('/login').expect(200, OUTCOMES.login_expired.message)
  })
})
// end
