import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SocialLoginClient, Strategy } from '../../lib'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'
import { SocialLogin } from '../../lib/web'
import type { Keep, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { freePort } from '../support/free-port'
import { useLogins } from '../support/logins'
import { cookieOf, locationOf, post } from '../support/provider-http'

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

  test('the browser is sent to its address, whose pages may redirect back, and the key to the other', async () => {
    const app = await start()
    expect(await comeBack(app, { referer: `${AT_BROWSER}/api/approve` })).toBe(200)
    expect(logins.exchanges()).toBe(1)
  })

  test('the server’s address is not the provider to a browser', async () => {
    expect(await comeBack(await start(), { referer: `${logins.provider.origin}/` })).toBe(403)
  })

  test('the confirm page names it, and allows its form to redirect there', async () => {
    const app = await start()
    const page = await new Browser().request(app.loginURL)
    expect(page.body).toContain('Sign in with social.example?')
    expect(page.headers['content-security-policy']).toContain(`form-action 'self' ${AT_BROWSER};`)
    const named = await start({ displayName: 'Chess <Club>' })
    expect((await new Browser().request(named.loginURL)).body).toContain('Sign in with Chess &lt;Club&gt;?')
  })
})

// Without containers: `localhost` is the name of browsers, 127.0.0.1 that of the other container.
test('the compose file starts the fake provider so that a login works by both addresses', async () => {
  const compose = readFileSync(join(__dirname, '../../../docs/files/compose.yaml'), 'utf8')
  const [, ...args] = Array.from(compose.matchAll(/^ {6}- (.*)$/gm), ([, arg = '']) => arg).slice(1)
  const variables = Object.fromEntries(
    Array.from(compose.matchAll(/^ {6}([A-Z_]+): (.*)$/gm), ([, name, value]) => [name, value]),
  )
  const port = String(await freePort())
  const local = (text: string): string =>
    text.replace(/4400/, port).replace('//provider:', '//127.0.0.1:').replace('0.0.0.0', '127.0.0.1')
  const cli = join(__dirname, '../../lib/cli.js')
  const child = spawn(process.execPath, [cli, ...args.map(local), `--port=${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(child.stdout, 'data')
    const login = new SocialLogin({
      baseURL: local(variables['SOCIAL_BASE_URL'] ?? ''),
      authorizationURL: local(variables['SOCIAL_AUTHORIZATION_URL'] ?? ''),
      callbackURL: variables['SOCIAL_CALLBACK_URL'] ?? '',
      clientID: variables['SOCIAL_CLIENT_ID'] ?? '',
      clientSecret: variables['SOCIAL_CLIENT_SECRET'] ?? '',
      keys: ['k'.repeat(32)],
    })
    logins.stopLater({ stop: () => login.close() })
    const started = await login.start(new Request('http://localhost:3000/auth', { headers: sameOriginNavigation }), {
      user: null,
    })
    const page = started.headers.get('location') ?? ''
    expect(page).toBe(`http://localhost:${port}/api/oauth?app_id=my-app`)
    const signedIn = await post(`http://localhost:${port}/sign-in`, { user_id: '1' })
    const approved = await post(
      `http://localhost:${port}/approval`,
      { app_id: 'my-app', decision: 'approve' },
      { cookie: cookieOf(signedIn) },
    )
    const cookie = started.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const headers = { ...providerNavigation, referer: `http://localhost:${port}/`, cookie }
    const result = await login.callback(new Request(locationOf(approved), { headers }), { user: null })
    expect(result).toMatchObject({ type: 'success', profile: { id: '1' } })
  } finally {
    child.kill()
    await once(child, 'exit')
  }
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
