import { SocialLoginClient, Strategy } from '../../lib'
import type { Keep, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()

// As between containers: the server reaches the provider at one address, browsers at another one.
const AT_BROWSER = 'https://social.example'
const authorizationURL = `${AT_BROWSER}/api/oauth2`

describe.each(['session', 'cookie', 'web'] as const satisfies readonly Keep[])('with the record in the %s', (keep) => {
  const start = (more: object = {}): Promise<RunningApp> =>
    logins.startApp({ keep, callback: {}, strategy: { authorizationURL, ...more } })

  async function comeBack(app: RunningApp, headers: Record<string, string>): Promise<number> {
    const browser = new Browser()
    const { location } = await browser.follow(app.loginURL)
    expect(location).toBe(`${authorizationURL}?app_id=${app.application.appID}`)
    return (await browser.comeBack(app.approvedCallback(), { headers })).status
  }

  test('the browser is sent to its address, whose pages may lead back, and the key to the other', async () => {
    const app = await start()
    expect(await comeBack(app, { referer: `${AT_BROWSER}/api/approve` })).toBe(200)
    expect(logins.exchanges()).toBe(1)
  })

  test('the server’s address is not the provider to a browser', async () => {
    expect(await comeBack(await start(), { referer: `${logins.provider.origin}/` })).toBe(403)
  })

  test('the confirm page names it, and lets its form lead there', async () => {
    const app = await start()
    const page = await new Browser().request(app.loginURL)
    expect(page.body).toContain('Sign in with social.example?')
    expect(page.headers['content-security-policy']).toContain(`form-action 'self' ${AT_BROWSER};`)
    const named = await start({ displayName: 'Chess <Club>' })
    expect((await new Browser().request(named.loginURL)).body).toContain('Sign in with Chess &lt;Club&gt;?')
  })
})

test('the client has it, too', async () => {
  const { baseURL } = logins.provider
  const client = new SocialLoginClient({ baseURL, authorizationURL, clientID: 'a&b', clientSecret: 'secret' })
  expect(client.loginURL()).toBe(`${authorizationURL}?app_id=a%26b`)
  await client.close()
})

test.each(['/api/oauth', 'http://social.example/api/oauth', `${authorizationURL}?a=1`, `${authorizationURL}#a`, ''])(
  'the authorizationURL %j is refused by name',
  (wrong) => {
    const options = { baseURL: 'https://social.example/api/v1', clientID: 'a', clientSecret: 'b', callbackURL: '/cb' }
    expect(() => new Strategy({ ...options, authorizationURL: wrong }, () => false)).toThrow(/^authorizationURL must /)
  },
)
