import connect from 'connect'
import express from 'express'
import passport7 from 'passport'
import passport6 from 'passport-0-6'
import { type AuthenticateOptions, OUTCOMES, Strategy } from '../../lib'
import { SocialLogin } from '../../lib/web'
import { keepSessions, type PassportInstance } from '../support/app'
import { HookedStore } from '../support/hooked-store'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const logins = useLogins('all tests')
const passports = { '0.6': passport6.Passport, '0.7': passport7.Passport }
const message = `${OUTCOMES.start_forbidden.message} It was requested for a frame: a login needs the whole window (target="_top").`
const escaped = message.replaceAll('"', '&quot;')
const PAGE = 'text/html,application/xhtml+xml,*/*;q=0.8'

// curl sends `*/*` and no Fetch Metadata: with it, only a request that accepts pages could be a navigation.
const kinds: [string, string | undefined, string, string][] = [
  ['text, to curl', '*/*', 'text/plain; charset=utf-8', `For the operator: ${message} (start_forbidden)\n`],
  [
    'JSON, to a program',
    'application/json',
    'application/json; charset=utf-8',
    JSON.stringify({ title: 'Please try to sign in again.', next: './', code: 'start_forbidden', message }),
  ],
  ['a page, to a frame', PAGE, 'text/html; charset=utf-8', `<p>${escaped}</p>`],
]

interface Refusing {
  readonly start?: AuthenticateOptions
  readonly version?: keyof typeof passports
  readonly route?: (passport: PassportInstance) => ReturnType<PassportInstance['authenticate']>
}

async function startRefusing({ version = '0.7', route, start }: Refusing = {}): Promise<string> {
  const app = express()
  const passport = new passports[version]()
  passport.use(newStrategy())
  app.use(keepSessions(new HookedStore()))
  app.get('/auth', route?.(passport) ?? passport.authenticate('social-login', { ...start }))
  return `${logins.stopLater(await listen(app)).origin}/auth`
}

function newStrategy(): Strategy {
  const { baseURL } = logins.provider
  return new Strategy({ baseURL, clientID: '1', clientSecret: 'secret', callbackURL: '/callback' }, () => false)
}

/** The headers of a frame: its request for a page is no login either, and is refused whatever it accepts. */
const framed = (accept?: string): Record<string, string> => ({
  ...(accept && { accept }),
  'sec-fetch-site': 'same-origin',
  'sec-fetch-dest': 'iframe',
})

const request = (url: string, accept?: string): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: framed(accept) })

async function expectExplanation(response: Response, type: string, body: string): Promise<void> {
  expect([response.status, response.headers.get('content-type')]).toStrictEqual([403, type])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await response.text()).toContain(body)
}

describe.each(Object.keys(passports))('a refusal that nothing handles, with Passport %s', (name) => {
  const version = name === '0.6' ? '0.6' : '0.7'

  test.each(kinds)('explains itself by %s', async (_, accept, type, body) => {
    await expectExplanation(await request(await startRefusing({ version }), accept), type, body)
  })

  test('stays a redirect to failureRedirect', async () => {
    const response = await request(await startRefusing({ version, start: { failureRedirect: '/login' } }))
    expect([response.status, response.headers.get('location')]).toStrictEqual([302, '/login'])
    expect(await response.text()).not.toContain(message)
  })

  test('stays an error with failWithError', async () => {
    const response = await request(await startRefusing({ version, start: { failWithError: true } }))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain(
      'SocialLoginError: The login was not started from a page of this application',
    )
  })

  const customCallbacks: { title: string; answer: (res: express.Response) => unknown }[] = [
    { title: 'sends what it likes', answer: (res) => res.status(403).send('Forbidden') },
    {
      title: 'writes the same answer by writeHead and end',
      answer: (res) => res.writeHead(403, { 'Content-Type': 'text/plain' }).end('Forbidden'),
    },
    { title: 'answers later', answer: (res) => setImmediate(() => res.status(403).end('Forbidden')) },
  ]

  test.each(customCallbacks)('stays the response of a custom callback that $title', async ({ answer }) => {
    let given: unknown[] = []
    const route = (passport: PassportInstance) =>
      express().get('/auth', (req, res, next) => {
        passport.authenticate('social-login', (...values: unknown[]) => {
          given = values
          answer(res)
        })(req, res, next)
      })
    const response = await request(await startRefusing({ version, route }))
    expect([response.status, await response.text()]).toStrictEqual([403, 'Forbidden'])
    expect(given).toStrictEqual([null, false, { code: 'start_forbidden', message }, 403])
  })
})

class Second extends passport7.Strategy {
  override readonly name = 'second'
  override authenticate(req: express.Request): void {
    if (req.headers['x-user'] === undefined) return this.fail('Second', 401)
    setImmediate(() => this.success({ id: '7' }))
  }
}

test('a refusal by the first of several strategies leaves the request to the next', async () => {
  const route = (passport: PassportInstance) => {
    passport.use(new Second())
    return express().get('/auth', passport.authenticate(['social-login', 'second'], { session: false }), (req, res) => {
      res.json(req.user)
    })
  }
  const url = await startRefusing({ route })
  const response = await fetch(url, { headers: { 'x-user': '7' } })
  expect(await response.json()).toEqual({ id: '7' })
  const refused = await request(url)
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain(message)
})

test('Connect, whose requests have no response, gets the answer of Passport', async () => {
  const app = connect()
  const passport = new passport7.Passport()
  passport.use(newStrategy())
  app.use('/auth', passport.authenticate('social-login', { session: false }))
  const response = await request(`${logins.stopLater(await listen(app)).origin}/auth`)
  expect([response.status, await response.text()]).toStrictEqual([403, 'Forbidden'])
})

test('Connect, with a redirect that it cannot make, gets an error that says so', async () => {
  const app = connect()
  const passport = new passport7.Passport()
  passport.use(newStrategy())
  app.use('/auth', passport.authenticate('social-login', { session: false, failureRedirect: '/login' }))
  const response = await request(`${logins.stopLater(await listen(app)).origin}/auth`)
  expect([response.status, await response.text()]).toStrictEqual([500, expect.stringContaining('which Connect lacks')])
})

test.each(kinds)('the web adapter explains a refusal by %s', async (_, accept, type, body) => {
  const { baseURL } = logins.provider
  const callbackURL = 'https://app.example/callback'
  const login = new SocialLogin({ baseURL, clientID: '1', clientSecret: 'secret', callbackURL, keys: ['k'.repeat(32)] })
  logins.stopLater({ stop: () => login.close() })
  const refused = new Request('https://app.example/auth', { headers: framed(accept) })
  await expectExplanation(await login.start(refused, { user: null }), type, body)
})
