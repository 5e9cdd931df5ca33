import { OUTCOMES, type OutcomeCode, SocialLoginError } from '../../lib'
import type { Fault } from '../../lib/testing'
import { type AppOptions, COOKIE_KEY_CANARY, codeOf, failureIn, type Keep, type RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { captureEvents, captureOutput, findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'
import { stopTimers, until } from '../support/turns'
import { leftAfter, readLeft } from './left-after'
import { BODY_CANARY, type Row, type Scenario, visitWith } from './outcome-row'
import { FailingStore, failures } from './outcome-rows'

const logins = useLogins('all tests')

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
  logins.provider.setMode('specification')
})

const documented = readLeft()
/** The observed states of the keys by outcome. */
const fates = new Map<OutcomeCode, ReadonlySet<string>>()

type Situation = Omit<Row, 'keep'> & { readonly keep: Keep; readonly communities: 'one community' | 'many communities' }

const isFetch = process.env['OUTCOMES_BY'] === 'fetch'
const rows = failures.map((row) => (isFetch ? { ...row, ...row.byFetch } : row))

/**
 * Through Passport and the web adapter with one community; the first row of each outcome also with the login in a cookie,
 * and with many communities through Passport. (Rows about communities: through both.)
 */
const situations: Situation[] = rows.flatMap((row, index) => {
  const isFirst = rows.findIndex(({ code, record }) => code === row.code && record === row.record) === index
  const stores = (row.keep ?? ['session', 'web', 'cookie']).filter((keep) => keep !== 'cookie' || isFirst)
  const isMany = row.app?.provider !== undefined
  return stores.flatMap((keep): Situation[] => [
    ...(isMany ? [] : [{ ...row, keep, communities: 'one community' as const }]),
    ...(isMany || (isFirst && keep === 'session') ? [{ ...row, keep, communities: 'many communities' as const }] : []),
  ])
})

test.each(situations)(
  '$situation is $code; the record is $record; the provider receives $sent ($keep, $communities)',
  async (row) => {
    const { result: played, output } = await captureOutput(() => captureEvents(() => play(row)))
    const { result, events } = played
    const { provider, app, answer } = result
    expect(outcomeOf(app)).toBe(row.code)
    expect(answer.status).toBe(OUTCOMES[row.code].status)
    const [error] = app.errors
    if (error instanceof SocialLoginError) {
      expect(error.retryable).toBe(row.retryable ?? OUTCOMES[row.code].retryable)
      expect(error.message).toContain(`docs/errors.md#${row.code}`)
    }
    // In development, Express's own page shows an error with its stack.
    const forUsers = app.sessions() + (row.keep === 'web' || !error ? answer.body : '')
    expect(forUsers).not.toContain('errors.md')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['social-login']).toBe(row.code)
    expect(answer.headers['referrer-policy']).toBe('no-referrer')
    expect(provider.requests.map(({ endpoint }) => endpoint)).toEqual(row.sent)
    expect(app.profiles).toHaveLength(row.code === 'verify_timeout' ? 1 : 0)
    const sinks = {
      answer: { ...answer },
      errors: app.errors,
      sessions: app.sessions(),
      login: app.login ?? app.strategy,
      output,
      events,
    }
    expect(findSecrets(secretsOf(result), sinks)).toStrictEqual([])
    // A failure of a callback reaches the application without its phase.
    const left = leftAfter(documented, row.code, error instanceof SocialLoginError ? error.phase : 'callback')
    expect(left.login).toBe(row.record)
    // Before `keyOf`, which sets the clock right again.
    expect(await recordOf(result)).toBe(row.record)
    const key = row.sent.length > 0 ? await keyOf(result) : 'unspent'
    if (left.key !== 'may be spent') expect(key).toBe(left.key)
    fates.set(row.code, new Set([...(fates.get(row.code) ?? []), row.sent.includes('user/me') ? 'later' : key]))
  },
)

test('the documentation states what happens to key and login for every outcome of the callback', () => {
  const codes = new Set(documented.map(({ code }) => code))
  const { start_forbidden: _, navigation_required: __, ...others } = OUTCOMES
  expect([...codes].sort()).toStrictEqual([...Object.keys(others), 'verify_refused', 'application_error'].sort())
})

test('it leaves open whether a key is spent if it was spent in one of the situations above and unspent in another', () => {
  for (const code of ['provider_unreachable', 'provider_timeout', 'provider_bad_response'] as const) {
    expect([...(fates.get(code) ?? [])].sort()).toStrictEqual(['later', 'spent', 'unspent'])
  }
})

type Played = Scenario & { readonly answer: BrowserAnswer }

async function play(row: Situation): Promise<Played> {
  const { provider } = logins
  const app = await logins.startApp({
    ...(row.communities === 'many communities' && { provider: true }),
    ...row.app,
    keep: row.keep,
  })
  const browser = new Browser()
  expect((await browser.follow(app.loginURL)).status).toBe(302)
  const authKey = app.newKey()
  const scenario = { provider, app, browser, authKey, cookies: await browser.cookies(app.origin) }
  await row.arrange?.(scenario)
  const visit = (): Promise<BrowserAnswer> => (row.visit ?? visitWith(() => `?auth_key=${authKey}`))(scenario)
  const isLate = row.code === 'provider_timeout' && !isFetch
  return { ...scenario, answer: await (isLate ? answerAfterDeadline(visit, row) : visit()) }
}

/** The time of the login passes once the provider has received all that it is sent. */
async function answerAfterDeadline(visit: () => Promise<BrowserAnswer>, { sent }: Situation): Promise<BrowserAnswer> {
  stopTimers()
  const answer = visit()
  await until(() => logins.provider.requests.length === sent.length)
  jest.advanceTimersByTime(10_000)
  return answer
}

function outcomeOf(app: RunningApp): string | undefined {
  return app.errors.length > 0 ? app.errors.map(codeOf).join() : failureIn(app.sessions())
}

/** Whether the provider still accepts the key of the login. */
async function keyOf({ provider, app, authKey }: Played): Promise<'spent' | 'unspent'> {
  // Restores the clock: keys expire.
  jest.restoreAllMocks()
  provider.clearFaults()
  provider.setMode('specification')
  const { appID, appSecret } = app.application
  const form = new URLSearchParams({ app_id: appID, app_secret: appSecret, auth_key: authKey })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = { method: 'POST', headers, body: String(form) } as const
  // By a browser, whose connections are kept alive: a new client would open one for each row.
  const { body } = await new Browser().request(`${provider.oauthBase}/authorize`, asked)
  return body.includes('access_token') ? 'unspent' : 'spent'
}

/** Whether the genuine callback can still finish the login, as the next visit shows. */
async function recordOf({ app, browser, provider }: Played): Promise<'kept' | 'over'> {
  if (app.store instanceof FailingStore) app.store.failing = false
  provider.clearFaults()
  const exchanges = provider.requests.length
  await browser.comeBack(app.approvedCallback('2'))
  return provider.requests.length > exchanges ? 'kept' : 'over'
}

function secretsOf({ provider, app, authKey }: Played): string[] {
  const tokens = provider.requests.flatMap(({ headers, query }) => [
    headers.authorization?.slice('Bearer '.length) ?? '',
    query['access_token'] ?? '',
  ])
  return [app.application.appSecret, COOKIE_KEY_CANARY, authKey, BODY_CANARY, ...tokens.filter(Boolean)]
}

let app: RunningApp

async function runApp(options: AppOptions): Promise<Browser> {
  app = await logins.startApp(options)
  return new Browser()
}

describe.each(['session', 'web'] as const)('outcomes that are not failures of a callback (%s)', (keep) => {
  const run = (options: AppOptions = {}): Promise<Browser> => runApp({ keep, ...options })

  /** The failure that the strategy has left in the session, and SocialLogin on its page. */
  const failureOf = ({ body }: BrowserAnswer): string | undefined => failureIn(keep === 'web' ? body : app.sessions())

  test.each(['sec-purpose', 'purpose', 'x-moz', 'x-purpose', 'service-worker-navigation-preload'])(
    'a speculative request (%s) gets an empty 503, at the start and at the callback, and changes nothing',
    async (name) => {
      const browser = await run()
      const speculation = { headers: { [name]: 'prefetch;prerender' } }
      const start = await browser.follow(app.loginURL, speculation)
      expect([start.status, start.body, app.sessions()]).toStrictEqual([503, '', '{}'])

      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      const early = await browser.comeBack(callback, speculation)
      expect([early.status, early.body, early.headers['cache-control']]).toStrictEqual([503, '', 'no-store'])
      expect(logins.provider.requests).toHaveLength(0)
      expect((await browser.comeBack(callback)).status).toBe(200)
    },
  )

  test.each(['iframe', 'image', 'empty'])('a start by %s is refused', async (destination) => {
    const browser = await run({ start: { failureMessage: true } })
    const answer = await browser.follow(app.loginURL, { headers: { 'sec-fetch-dest': destination } })
    expect(answer.status).toBe(403)
    expect(failureOf(answer)).toBe('start_forbidden')
    expect(app.sessions()).not.toContain('passport-social-login')
  })

  test('a start by fetch is told in JSON to navigate instead, whatever failureRedirect says', async () => {
    const browser = await run({ start: { failureRedirect: '/login' } })
    const fetched = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    for (const method of ['GET', 'POST'] as const) {
      const { status, headers, body } = await browser.follow(app.loginURL, { method, headers: fetched })
      expect([status, headers['content-type'], headers['cache-control']]).toStrictEqual([
        403,
        'application/json; charset=utf-8',
        'no-store',
      ])
      const { message } = OUTCOMES.navigation_required
      const told = { code: 'navigation_required', message: expect.stringContaining(message), next: './' }
      expect(JSON.parse(body)).toMatchObject(told)
    }
    expect(app.sessions()).toBe('{}')
  })

  test('an unverified start is refused under unverifiedStart: refuse', async () => {
    const browser = await run({ strategy: { unverifiedStart: 'refuse' }, start: { failureMessage: true } })
    const answer = await browser.comeBack(app.loginURL)
    expect([answer.status, failureOf(answer)]).toStrictEqual([403, 'start_forbidden'])
  })

  test('an unverified start is accepted under unverifiedStart: allow, and a typed login succeeds', async () => {
    const browser = await run({ strategy: { unverifiedStart: 'allow' } })
    const typed = { headers: { 'sec-fetch-site': 'none' } }
    expect((await browser.follow(app.loginURL, typed)).status).toBe(302)
    expect((await browser.comeBack(app.approvedCallback(), typed)).status).toBe(200)
  })

  test('under unverifiedStart: allow a mailed callback still cannot finish a login started by a click', async () => {
    const browser = await run({ strategy: { unverifiedStart: 'allow' } })
    await browser.follow(app.loginURL)
    const mailed = await browser.comeBack(app.approvedCallback(), { headers: { 'sec-fetch-site': 'none' } })
    expect([mailed.status, failureOf(mailed)]).toStrictEqual([403, 'callback_forged'])
  })

  test('a wrong method is 405, with the allowed ones', async () => {
    const browser = await run()
    const start = await browser.follow(app.loginURL, { method: 'PUT' })
    expect([start.status, start.headers['allow']]).toStrictEqual([405, 'GET, POST'])
    const callback = await browser.comeBack(app.approvedCallback(), { method: 'POST' })
    expect([callback.status, callback.headers['allow']]).toStrictEqual([405, 'GET'])
  })

  test('a custom callback finds the headers of a failure set', async () => {
    const browser = await run({
      before: (express, passport) => {
        express.put('/own', (req, res, next) => {
          const answer = (_error: unknown, _user: unknown, info: unknown): unknown => res.status(405).json(info)
          passport.authenticate('social-login', answer)(req, res, next)
        })
      },
    })
    const { status, headers } = await browser.follow(`${app.origin}/own`, { method: 'PUT' })
    expect([status, headers['allow']]).toStrictEqual([405, 'GET, POST'])
  })

  test('without a free slot: 503 with Retry-After; nothing is sent or consumed, and a reload works once a slot is free', async () => {
    const first = await run({ strategy: { maxConcurrentLogins: 1 } })
    const second = new Browser()
    await first.follow(app.loginURL)
    await second.follow(app.loginURL)
    logins.provider.failNext('user/me', { delay: 100 })
    const [one, other] = [app.approvedCallback('1'), app.approvedCallback('2')]
    const [slow, refused] = await Promise.all([first.comeBack(one), second.comeBack(other)])
    expect([slow.status, refused.status].sort()).toStrictEqual([200, 503])
    expect(app.errors.map(codeOf)).toStrictEqual(['overloaded'])
    const [browser, callback, answer] = slow.status === 503 ? [first, one, slow] : [second, other, refused]
    expect(answer.headers['retry-after']).toBe('1')
    expect(logins.exchanges()).toBe(1)
    expect((await browser.comeBack(callback)).status).toBe(200)
  })

  test('a slot is released, however the login ended', async () => {
    const browser = await run({ strategy: { maxConcurrentLogins: 1, timeout: 100 } })
    const faults: Fault[] = [{ reset: 'body' }, { hang: true }, { body: 'null' }, { status: 500 }]
    for (const endpoint of ['authorize', 'user/me'] as const) {
      for (const fault of faults) {
        await browser.follow(app.loginURL)
        logins.provider.failNext(endpoint, fault, { times: Number.POSITIVE_INFINITY })
        expect((await browser.comeBack(app.approvedCallback())).status).toBeGreaterThanOrEqual(400)
        logins.provider.clearFaults()
      }
    }
    await browser.follow(app.loginURL)
    await browser.comeBack(app.approvedCallback())
    expect(app.errors.map(codeOf)).not.toContain('overloaded')
  })

  test('a rate limit sends Retry-After to the browser', async () => {
    const browser = await run()
    await browser.follow(app.loginURL)
    logins.provider.failNext('authorize', { status: 429, headers: { 'retry-after': '17' } })
    const answer = await browser.comeBack(app.approvedCallback())
    expect([answer.status, answer.headers['retry-after']]).toStrictEqual([503, '17'])
  })
})

test('a callback whose record cannot be consumed releases its slot', async () => {
  const store = new FailingStore()
  const browser = await runApp({ store, strategy: { maxConcurrentLogins: 1 } })
  for (const failing of [true, true, false]) {
    await browser.follow(app.loginURL)
    store.failing = failing
    const { status } = await browser.comeBack(app.approvedCallback())
    store.failing = false
    expect(status).toBe(failing ? 503 : 200)
  }
  expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable', 'session_unavailable'])
})

test('a login that failed with user_changed can be finished once that user has signed out', async () => {
  const browser = await runApp({ keep: 'cookie' })
  await browser.follow(app.loginURL)
  await browser.follow(`${app.origin}/become`)
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
  expect(failureIn(app.sessions())).toBe('user_changed')
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
  expect(logins.provider.requests).toStrictEqual([])
  await browser.follow(`${app.origin}/logout`, { method: 'POST' })
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
})

test('a page about user_changed leads back to the start of a visitor, and not to that of another user', async () => {
  const browser = await runApp({ keep: 'cookie' })
  const pageAfter = async (query: string): Promise<string> => {
    await browser.follow(app.loginURL + query)
    await browser.follow(`${app.origin}/become?id=${query.slice(1)}`)
    const { status, body } = await browser.comeBack(app.approvedCallback())
    expect(status).toBe(403)
    return body
  }
  expect(await pageAfter('?first')).toContain('href="./auth?first"')
  expect(await pageAfter('?second')).not.toContain('second')
})
