// Quoted: test with jest
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from './your-app'

test('a person signs in and sees the profile', async () => {
  const provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback' })
  const { user_id } = provider.addUser({ user_firstname: 'Grace', user_lastname: 'Hopper' })
  const app = createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret })

  const browser = supertest.agent(app)
  await browser.get('/auth').set(sameOriginNavigation).expect(302)
  const authKey = provider.issueAuthKey({ appID, userID: user_id })
  await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect(302)
  await browser.get('/profile').expect(200, 'Hello, Grace Hopper')

  provider.failNext('authorize', { status: 503 }) // and an outage
  await browser.get('/auth').set(sameOriginNavigation)
  const nextKey = provider.issueAuthKey({ appID, userID: user_id })
  await browser.get(`/callback?auth_key=${nextKey}`).set(providerNavigation).expect(502)
  await provider.stop()
})
// end
