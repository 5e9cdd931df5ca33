import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import supertest from 'supertest'
import { createApp } from '../package/docs/your-app'

/** Runs a login that the provider refuses. */
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
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
