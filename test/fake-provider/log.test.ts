import { asDeployed, FakeProvider, type ProviderMode } from '../../lib/testing'
import { findSecrets } from '../support/canaries'
import { ask, bearer, exchange, post, signInAs, userInfo, userMe } from '../support/provider-http'

// What the command prints of each request, so that a developer sees whether the application asked at all.

const SECRET = 'app-secret-canary-5c1e9a7f'
const FOREIGN = 'canary-0d1a77aa0b1c'

async function lines(mode: ProviderMode, work: (provider: FakeProvider, appID: string) => Promise<unknown>) {
  const printed: string[] = []
  const provider = await FakeProvider.start({ mode, log: (line) => printed.push(line) })
  const redirectURL = 'http://localhost:3000/cb'
  provider.registerApplication({ name: 'My app', redirectURL, appID: 'mine', appSecret: SECRET })
  await work(provider, 'mine')
  await provider.stop()
  for (const line of printed) expect(line).toMatch(/^\d\d:\d\d:\d\d {2}[ -~]+$/)
  return printed.map((line) => line.slice(10))
}

test('a login is a line for each request, with the outcome, and without key, secret and token', async () => {
  const secrets = [SECRET]
  const printed = await lines('specification', async (provider, appID) => {
    const oauth = `${provider.oauthBase}/oauth?app_id=${appID}`
    await ask(oauth)
    const cookie = await signInAs(provider, '1')
    await ask(oauth, { headers: { cookie } })
    const { headers } = await post(`${provider.origin}/approval`, { app_id: appID, decision: 'approve' }, { cookie })
    const authKey = new URL(headers.get('location') ?? '').searchParams.get('auth_key') ?? ''
    const [application] = provider.applications
    if (application === undefined) throw new Error('no application')
    const { text } = await exchange(provider, application, authKey)
    const { access_token: token } = JSON.parse(text)
    await exchange(provider, application, authKey)
    await exchange(provider, { ...application, appSecret: FOREIGN }, authKey)
    await userMe(provider, token)
    await userInfo(provider, token)
    await ask(`${provider.baseURL}/user/me`, { headers: bearer(FOREIGN) })
    secrets.push(authKey, token, FOREIGN)
  })
  expect(printed).toStrictEqual([
    'GET /api/oauth  200 Sign in',
    'POST /sign-in  303',
    'GET /api/oauth  200 Continue to My app?',
    'POST /approval  302 with a key',
    'POST /api/authorize  200 with a token',
    'POST /api/authorize  400 The auth_key is unknown, used or expired.',
    'POST /api/authorize  401 Wrong app_id or app_secret.',
    'GET /api/v1/user/me  200 with a user',
    'GET /api/get_user_info  200 with a user',
    'GET /api/v1/user/me  401 The access_token is unknown or expired.',
  ])
  expect(findSecrets(secrets, { printed })).toStrictEqual([])
})

test('an error with status 200, a wrong address, and what has no answer are logged, and pictures are not', async () => {
  const printed = await lines(asDeployed, async (provider) => {
    await post(`${provider.oauthBase}/authorize`, { app_id: 'mine' })
    await ask(`${provider.origin}/api/v2/${FOREIGN}/${SECRET}?x=${FOREIGN}`)
    await ask(`${provider.origin}/community/api/oauth?app_id=${FOREIGN}`)
    await ask(`${provider.origin}/pictures/1.svg`)
    await ask(`${provider.origin}/style.css`)
    provider.failNext('authorize', { reset: 'before' })
    await post(`${provider.oauthBase}/authorize`, { app_secret: SECRET }).catch(() => {})
    await ask(`${provider.oauthBase}/oauth`, { headers: { origin: 'https://evil.example' } })
  })
  expect(printed).toStrictEqual([
    'POST /api/authorize  200 Send app_id, app_secret and auth_key, each once.',
    'GET /api/v2/*/*  200 There is nothing here.',
    'GET /community/api/oauth  404 Not found',
    'POST /api/authorize  no answer',
    'GET /api/oauth  403 Cross-site request',
  ])
  expect(findSecrets([SECRET, FOREIGN], { printed })).toStrictEqual([])
})

test('sixty characters of a path are logged', async () => {
  const path = `/api/${'abcdefghijklmnop/'.repeat(4)}`
  const printed = await lines('specification', (provider) => ask(provider.origin + path))
  expect(printed).toStrictEqual([`GET ${path.slice(0, 60)}  404 There is nothing here.`])
})

test('a name with what a terminal interprets is logged without it', async () => {
  const printed = await lines('specification', async (provider, appID) => {
    provider.updateApplication(appID, { name: 'My\u001b[2J\u009b app' })
    const cookie = await signInAs(provider, '1')
    await ask(`${provider.oauthBase}/oauth?app_id=${appID}`, { headers: { cookie } })
  })
  expect(printed).toStrictEqual(['POST /sign-in  303', 'GET /api/oauth  200 Continue to My[2J app?'])
})
