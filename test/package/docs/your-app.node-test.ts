// Quoted: test with node:test
import { after, test } from 'node:test'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from './your-app'

test('a person signs in and sees the profile', async () => {
  const provider = await FakeProvider.start()
  after(() => provider.stop())
  const { appID, appSecret } = provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback' })
  const browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))

  await browser.get('/auth').set(sameOriginNavigation).expect(302)
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/callback?auth_key=${authKey}`).set(providerNavigation).expect(302)
  await browser.get('/profile').expect(200, 'Hello, Ada Lovelace')
})
// end
