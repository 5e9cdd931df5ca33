import { CookieStore, Strategy } from '../../lib'
import { COOKIE_KEY_CANARY, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

// What each callback and option makes of the cookies: test/unit/web/options.test.ts.

const logins = useLogins()
const keys = [COOKIE_KEY_CANARY]

function withCookieStore(callbackURL?: string, options = {}): Promise<RunningApp> {
  const store = new CookieStore({ keys, ...options })
  return logins.startApp({
    newStrategy: (settings) =>
      new Strategy({ ...settings, store, ...(callbackURL && { callbackURL }) }, async (_a, _r, { id }) => ({ id })),
  })
}

describe('hosting that passes one cookie, by its name', () => {
  test('is served by a cookie of that name, Secure and without a prefix', async () => {
    const app = await withCookieStore('/callback', { name: '__session', hostPrefix: false })
    const { headers } = await new Browser().follow(app.loginURL)
    const lines = [headers['set-cookie'] ?? []].flat().filter((line) => !line.startsWith('connect.sid'))
    expect(lines).toStrictEqual([
      expect.stringMatching(/^__session=\S+; Max-Age=660; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ])
    const only = lines.map((line) => line.split(';')[0]).join()
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: only } })
    expect([answer.status, JSON.parse(answer.body).user]).toStrictEqual([200, { id: '1' }])
  })
})

describe('on plain http of this machine, where Safari and test agents keep no Secure cookie', () => {
  /** The cookies that such a browser keeps. */
  async function keptBy(app: RunningApp): Promise<string> {
    const { headers } = await new Browser().follow(app.loginURL)
    const kept = [headers['set-cookie'] ?? []].flat().filter((line) => !/;\s*secure/i.test(line))
    return kept.map((line) => line.split(';')[0]).join('; ')
  }

  test('CookieStore does so in a strategy that has the whole callbackURL', async () => {
    const app = await withCookieStore()
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: await keptBy(app) } })
    expect([answer.status, JSON.parse(answer.body).user]).toStrictEqual([200, { id: '1' }])
  })

  test('in one that has the path only, the failure says what to do', async () => {
    const app = await withCookieStore('/callback')
    const answer = await new Browser().comeBack(app.approvedCallback(), { headers: { cookie: await keptBy(app) } })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('Safari and some test agents keep no such cookie. With the whole callbackURL')
    const proxied = { cookie: 'a=b', 'x-forwarded-proto': 'https' }
    const other = await new Browser().comeBack(app.approvedCallback(), { headers: proxied })
    expect(other.body).not.toContain('Safari')
  })
})
