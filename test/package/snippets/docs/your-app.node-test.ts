import { match } from 'node:assert/strict'
import { test } from 'node:test'
import { FakeProvider, providerNavigation, sameOriginNavigation, signIn } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from './your-app'

test('the login', async (t) => {
  const provider = await FakeProvider.start()
  t.after(() => provider.stop())
  const redirectURL = 'http://localhost:3000/auth/social-login/callback'
  const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL })
  const app = createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret })

  await t.test('signs a person in, who sees the profile', async () => {
    const browser = supertest.agent(app)
    await signIn(browser, { provider })
    await browser.get('/profile').expect(200, { id: '1', name: 'Ada Lovelace' })
  })

  await t.test('expires after ten minutes', async ({ mock }) => {
    const browser = supertest.agent(app)
    await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * 60 * 1000 })
    const authKey = provider.issueAuthKey({ appID, userID: '1' })
    await browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/')
    match((await browser.get('/')).text, /took longer than ten minutes/)
  })
})
