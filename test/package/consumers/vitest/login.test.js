import { OUTCOMES } from 'passport-social-login'
import { FakeProvider, providerNavigation, sameOriginNavigation, signIn } from 'passport-social-login/testing'
import supertest from 'supertest'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createApp } from './your-app'

let provider, application, browser

beforeEach(async () => {
  provider = await FakeProvider.start()
  const redirectURL = 'http://localhost:3000/auth/social-login/callback'
  application = provider.registerApplication({ name: 'My app', redirectURL })
  const { appID, appSecret } = application
  browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))
})

afterEach(() => provider.stop())

test('a person signs in and sees the profile', async () => {
  const user = provider.addUser({ user_firstname: 'Grace', user_lastname: 'Hopper' })
  await signIn(browser, { provider, user })
  await browser.get('/profile').expect(200, { id: user.user_id, name: 'Grace Hopper' })
})

test('an outage of the provider is an error', async () => {
  provider.failNext('authorize', { status: 503 })
  await expect(signIn(browser, { provider })).rejects.toThrow('provider_unavailable')
})

test('a login that takes more than ten minutes has expired', async () => {
  await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60 * 1000 })
  const authKey = provider.issueAuthKey({ appID: application.appID, userID: '1' })
  await browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/')
  vi.useRealTimers()
  expect((await browser.get('/')).text).toContain(OUTCOMES.login_expired.message)
})
