// Quoted: test of the application of the README
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { FakeProvider, signIn } = require('passport-social-login/testing')
const supertest = require('supertest')

const PORT = '3210'
const origin = `http://localhost:${PORT}`
let provider, app

beforeAll(async () => {
  provider = await FakeProvider.start()
  const redirectURL = `${origin}/auth/social-login/callback`
  const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL })
  const credentials = { SOCIAL_BASE_URL: provider.baseURL, SOCIAL_CLIENT_ID: appID, SOCIAL_CLIENT_SECRET: appSecret }
  const env = { ...process.env, ...credentials, SESSION_SECRET: 'for tests', PORT }
  app = spawn(process.execPath, ['app.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(app.stdout, 'data') // it listens
})

afterAll(async () => {
  app.kill()
  await provider.stop()
})

test('a person signs in and sees the profile', async () => {
  const browser = supertest.agent(origin)
  await signIn(browser, { provider })
  await browser.get('/profile').expect(200, { id: '1', name: 'Ada Lovelace' })
})
// end
