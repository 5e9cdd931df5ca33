import { type AppOptions, codeOf, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

// Servers as they are met at the first contact, through whole logins.

const logins = useLogins()

// exchangeMethod: 'get' warns: see endpoints.exchange-by-get.test.ts.
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterAll(() => emitWarning.mockRestore())

const sent = (): string[] => logins.provider.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`)

describe.each(['session', 'cookie', 'web'] as const)('with a pending login of the kind %s', (keep) => {
  const start = (options: AppOptions = {}): Promise<RunningApp> => logins.startApp({ ...options, keep })

  test('a firewall that refuses requests without a User-Agent lets the strategy pass', async () => {
    logins.provider.setMode({ requireUserAgent: true })
    expect((await (await start()).logIn()).status).toBe(200)
    const userAgent = 'MyApp/1.0 (+https://app.example)'
    expect((await (await start({ strategy: { userAgent } })).logIn()).status).toBe(200)
    const agents = logins.provider.requests.map(({ headers }) => headers['user-agent'])
    expect(agents).toStrictEqual([
      ...Array(2).fill(expect.stringMatching(/^passport-social-login\/\d/)),
      ...Array(2).fill(userAgent),
    ])
  })

  test('a server without user/me is used by auto: with one request more at the first login, and none later', async () => {
    logins.provider.setMode({ withoutUserMe: true })
    const app = await start({ strategy: { profileEndpoint: 'auto' } })
    for (let login = 0; login < 2; login += 1) expect((await app.logIn()).status).toBe(200)
    expect(sent()).toStrictEqual([
      ...['POST /api/authorize', 'GET /api/v1/user/me', 'GET /api/get_user_info'],
      ...['POST /api/authorize', 'GET /api/get_user_info'],
    ])
    expect(app.profiles.map(({ id }) => id)).toStrictEqual(['1', '1'])
  })

  test.each(['method-not-allowed', 'not-found', 'invalid-app-id'] as const)(
    'a server that answers a POST with %s is never asked by GET unless told so by exchangeMethod',
    async (postAnswer) => {
      logins.provider.setMode({ getOnly: true, postAnswer })
      const byPost = await start()
      expect((await byPost.logIn()).status).toBeGreaterThanOrEqual(400)
      expect(sent()).toStrictEqual(['POST /api/authorize'])
      logins.provider.clearRequests()
      const byGet = await start({ strategy: { exchangeMethod: 'get' } })
      expect((await byGet.logIn()).status).toBe(200)
      expect(sent()).toStrictEqual(['GET /api/authorize', 'GET /api/v1/user/me'])
    },
  )
})

test('a login that began before these options were changed can be finished after it', async () => {
  const application = logins.provider.registerApplication({ name: 'Test', redirectURL: 'http://localhost/callback' })
  const before = await logins.startApp({ keep: 'cookie', application })
  const changed = { userAgent: 'MyApp/2', profileEndpoint: 'auto', exchangeMethod: 'get' } as const
  const after = await logins.startApp({ keep: 'cookie', application, strategy: changed })
  const browser = new Browser()
  await browser.follow(before.loginURL)
  logins.provider.setMode({ getOnly: true })
  const answer = await browser.comeBack(after.approvedCallback())
  expect([answer.status, before.errors.map(codeOf), after.errors.map(codeOf)]).toStrictEqual([200, [], []])
})
