import { OUTCOMES } from 'passport-social-login'
import { FakeProvider, providerNavigation, sameOriginNavigation, signIn } from 'passport-social-login/testing'
import supertest from 'supertest'
import { expect, test, vi } from 'vitest'
import { createApp } from './your-app'

test('a person signs in, and a login that takes more than ten minutes has expired', async () => {
  const provider = await FakeProvider.start()
  const redirectURL = 'http://localhost:3000/auth/social-login/callback'
  const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL })
  const browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))
  await signIn(browser, { provider })
  await browser.get('/profile').expect(200, { id: '1', name: 'Ada Lovelace' })

  await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/')
  vi.useRealTimers()
  expect((await browser.get('/')).text).toContain(OUTCOMES.login_expired.message)
  await provider.stop()
})
