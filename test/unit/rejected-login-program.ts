import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import { SocialLogin } from 'passport-social-login/web'
import supertest from 'supertest'
import { createApp } from '../package/docs/your-app'

/** Runs a login that the provider refuses, and a start whose `returnTo` is no path. */
async function main(): Promise<void> {
  await using provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({
    name: 'Debug',
    redirectURL: 'http://localhost/callback',
    appSecret: 'canary-secret',
  })
  const browser = supertest.agent(createApp({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }))
  await browser.get('/auth/social-login').set(sameOriginNavigation).expect(302)
  await browser
    .get('/auth/social-login/callback?auth_key=not-a-key-canary')
    .set(providerNavigation)
    .expect('Location', '/')
  const callbackURL = 'http://localhost/callback'
  const options = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
  const login = new SocialLogin({ ...options, keys: ['k'.repeat(32)] })
  const request = new Request('http://localhost/login', { headers: sameOriginNavigation })
  await login.start(request, { user: null, returnTo: 'inbox-canary' })
  await login.close()
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
