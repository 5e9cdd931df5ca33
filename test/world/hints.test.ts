import type { IncomingHttpHeaders } from 'node:http'
import type { AppOptions, Keep, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { useLogins } from '../support/logins'

// One outcome has many causes. Each row is a request, and what its message must say; no message may name the cause of another row.
const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const from = (site: string, more: object = {}): IncomingHttpHeaders => ({
  ...navigation,
  'sec-fetch-site': site,
  ...more,
})

interface Row {
  readonly cause: string
  readonly headers: (app: RunningApp) => IncomingHttpHeaders
  readonly says: string
}

const everywhere: Row[] = [
  {
    cause: 'a frame',
    headers: () => from('cross-site', { 'sec-fetch-dest': 'iframe' }),
    says: 'for a frame',
  },
  {
    cause: 'a picture',
    headers: () => from('cross-site', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }),
    says: 'as a part of a page',
  },
  {
    cause: 'a service worker',
    headers: () => from('same-origin', { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'same-origin' }),
    says: 'A script made the request',
  },
  {
    cause: 'a WebSocket',
    headers: () => ({ 'sec-websocket-key': 'x', 'sec-websocket-version': '13' }),
    says: 'handshake of a WebSocket',
  },
  {
    cause: 'a program that accepts no pages',
    headers: () => ({ accept: 'application/json' }),
    says: 'Accept: text/html',
  },
]

const ofStart: Row[] = [
  ...everywhere,
  { cause: 'a typed address', headers: () => from('none'), says: 'The address was typed, or opened from a bookmark' },
  {
    cause: 'a foreign page',
    headers: () => from('cross-site', { referer: 'https://evil.example/' }),
    says: 'A page of another site linked here',
  },
  {
    cause: 'a link of its own into a new tab of Safari',
    headers: ({ origin }) => from('cross-site', { referer: `${origin}/` }),
    says: 'rel="opener"',
  },
  { cause: 'a CDN that hands on no headers', headers: () => ({ accept: 'text/html' }), says: 'None of the headers' },
  {
    cause: 'a proxy that rewrites Host',
    headers: () => ({ accept: 'text/html', referer: 'https://app.example/' }),
    says: 'names another address than this application has',
  },
]

const ofCallback: Row[] = [
  ...everywhere,
  { cause: 'a typed address', headers: () => from('none'), says: 'another browser than the one' },
  {
    cause: 'another site through which users sign in at the provider',
    headers: () => from('cross-site', { referer: 'https://accounts.example/' }),
    says: 'with that site',
  },
  {
    cause: 'a page of its own',
    headers: ({ origin }) => from('same-origin', { referer: `${origin}/` }),
    says: 'itself linked to the callback',
  },
  { cause: 'a sister site', headers: () => from('same-site'), says: 'A page of a sister site' },
]

const logins = useLogins()
const CANARIES = ['canary-key-77aa', 'canary-cookie-77bb', 'canary.example']

async function expectOnly(row: Row, rows: readonly Row[], body: string): Promise<void> {
  const text = body.replaceAll('&quot;', '"')
  expect(rows.filter(({ says }) => text.includes(says)).map(({ cause }) => cause)).toStrictEqual([row.cause])
  for (const canary of CANARIES) expect(body).not.toContain(canary)
}

describe.each(['session', 'web'] as const satisfies readonly Keep[])('with the record in the %s', (keep) => {
  test.each(ofStart)('start_forbidden names $cause, and nothing else', async (row) => {
    const app = await logins.startApp({ keep, strategy: { unverifiedStart: 'refuse' } })
    const headers = { cookie: 'a=canary-cookie-77bb', origin: undefined, ...row.headers(app) }
    const answer = await new Browser().request(`${app.loginURL}?a=canary-key-77aa`, { headers: defined(headers) })
    expect(answer.status).toBe(403)
    await expectOnly(row, ofStart, answer.body)
    expect(answer.body.includes('allowedStartOrigins')).toBe(/foreign page|rewrites Host/.test(row.cause))
  })

  test.each(ofCallback)('callback_forged names $cause, and nothing else', async (row) => {
    const app = await logins.startApp({ keep, callback: {} })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const callback = `${app.callbackURL}?auth_key=canary-key-77aa`
    const answer = await browser.request(callback, { headers: defined(row.headers(app)) })
    expect(answer.status).toBe(403)
    await expectOnly(row, ofCallback, answer.body)
    expect(answer.body.includes('allowedCallbackOrigins')).toBe(row.cause.startsWith('another site'))
  })
})

function defined(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  return Object.fromEntries(entries)
}

interface MissingRow {
  readonly cause: string
  readonly keep: Keep
  /** The cookies of the callback, of those that the start has set. */
  readonly cookie: (cookies: string, app: RunningApp) => string | Promise<string>
  readonly says: string
}

const ofSession: MissingRow[] = [
  { cause: 'no cookie', keep: 'session', cookie: () => '', says: 'sent no cookie at all' },
  { cause: 'cookies of others only', keep: 'session', cookie: () => 'theme=dark', says: 'but none of a session' },
  {
    cause: 'a session of before the restart',
    keep: 'session',
    cookie: () => 'connect.sid=s%3AmVdlSx0.0123456789',
    says: 'its session is not known here',
  },
  {
    cause: 'a session without a login',
    keep: 'session',
    cookie: async (_cookies, app) => {
      const browser = new Browser()
      await browser.follow(`${app.origin}/become`)
      const cookie = await browser.cookies(app.origin)
      await browser.follow(`${app.origin}/forget`)
      return cookie
    },
    says: 'there is no login in it',
  },
]

const ofCookie = (keep: Keep): MissingRow[] => [
  { cause: 'no cookie', keep, cookie: () => '', says: 'sent no cookie at all' },
  {
    cause: 'cookies of others only',
    keep,
    cookie: () => 'theme=dark',
    says: 'none was started in the last 11 minutes',
  },
  {
    cause: 'a cookie that cannot be opened',
    keep,
    cookie: (cookies) => cookies.replaceAll(/social-login=[\w-]+/g, 'social-login=AAAA'),
    says: 'cannot be opened',
  },
]

const missing: MissingRow[] = [...ofSession, ...ofCookie('cookie'), ...ofCookie('web')]

test.each(missing)('login_not_started names $cause, and nothing else ($keep)', async ({ keep, cookie, says }) => {
  const app = await logins.startApp({
    keep,
    callback: {},
    before: (server) => {
      server.get('/forget', (req, res) => {
        Reflect.deleteProperty(req.session, 'passport')
        res.json({})
      })
    },
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const header = await cookie(await browser.cookies(app.origin), app)
  const headers: Record<string, string> = header === '' ? {} : { cookie: header }
  const { status, body } = await new Browser().comeBack(app.approvedCallback(), { headers })
  expect(status).toBe(403)
  const said = missing.filter((row) => body.includes(row.says)).map((row) => row.says)
  expect([...new Set(said)]).toStrictEqual([says])
  // Each adapter names its own means.
  if (keep !== 'session') expect(body).not.toMatch(/session middleware|session cookie/)
  expect(body.includes('127.0.0.1')).toBe(
    says === 'sent no cookie at all' || keep !== 'session' ? !says.includes('opened') : false,
  )
})

test('login_not_started says that the login was used, after an error of the provider and a reload', async () => {
  const app = await logins.startApp({ callback: {} })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const callback = app.approvedCallback()
  logins.provider.failNext('authorize', { status: 500 }, { times: 3 })
  expect((await browser.comeBack(callback)).status).toBe(502)
  const { status, body } = await browser.comeBack(callback)
  expect(status).toBe(403)
  expect(body).toContain('The login of this browser is over')
  expect(body).not.toMatch(/cookie/)
})

/** Its reads come from a replica, which has not got what was just saved. */
class LateStore extends HookedStore {
  override get(_sid: string, callback: (error: unknown, session?: null) => void): void {
    callback(null, null)
  }
}

const lost: { cause: string; options: Pick<AppOptions, 'session' | 'store'>; says: string }[] = [
  {
    cause: 'a session that expires at once',
    options: { session: { cookie: JSON.parse('{"expires":86400}') } },
    says: 'the session has expired (maxAge is in milliseconds, and expires a Date)',
  },
  {
    cause: 'a store that answers late',
    options: { store: new LateStore() },
    says: 'its store answers from an older copy',
  },
]

test.each(lost)('login_not_started names $cause', async ({ options, says }) => {
  const app = await logins.startApp({ callback: {}, ...options })
  const answer = await app.logIn()
  expect([answer.status, answer.body]).toStrictEqual([403, expect.stringContaining(says)])
})
