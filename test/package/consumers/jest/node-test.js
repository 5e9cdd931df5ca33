const { match } = require('node:assert/strict')
const { test } = require('node:test')
const { FakeProvider, providerNavigation, sameOriginNavigation } = require('passport-social-login/testing')
const supertest = require('supertest')
const { createApp } = require('./your-app')

test('a login expires after ten minutes of the clock of node:test', async (context) => {
  const { mock } = context
  const provider = await FakeProvider.start()
  context.after(() => provider.stop())
  const redirectURL = 'http://localhost:3000/auth/social-login/callback'
  const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL })
  const browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))
  await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 11 * 60 * 1000 })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  await browser.get(`/auth/social-login/callback?auth_key=${authKey}`).set(providerNavigation).expect('Location', '/')
  match((await browser.get('/')).text, /took too long/)
  console.log('ok')
})
