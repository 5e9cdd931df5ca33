import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { OUTCOMES, onPhaseEnd, type Phase, SocialLoginError, type TracedPhase } from '../../lib'
import { type AppOptions, type RunningApp, SECRET_CANARY } from '../support/app'
import { Browser } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'

const PHASES: readonly Phase[] = ['start', 'callback', 'exchange', 'profile', 'verify']
const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const

/** A copy of a message at the time of its event. */
interface Told {
  readonly event: string
  readonly report: TracedPhase
}

const logins = useLogins('all tests')
let app: RunningApp
let unsubscribe: (() => void) | undefined

afterEach(() => unsubscribe?.())

const channelOf = (phase: Phase): TracingChannel<unknown, TracedPhase> =>
  tracingChannel<unknown, TracedPhase>(`passport-social-login:${phase}`)

function listen(): Told[] {
  const told: Told[] = []
  const listeners = PHASES.map((phase) => {
    const on = (event: string) => (report: TracedPhase) => void told.push({ event, report: { ...report } })
    const [start, end, asyncStart, asyncEnd, error] = EVENTS.map(on)
    const subscribers = { start, end, asyncStart, asyncEnd, error }
    Reflect.apply(channelOf(phase).subscribe, channelOf(phase), [subscribers])
    return () => Reflect.apply(channelOf(phase).unsubscribe, channelOf(phase), [subscribers])
  })
  unsubscribe = () => listeners.forEach((stop) => void stop())
  return told
}

async function logIn(options: AppOptions = {}): Promise<string> {
  app = await logins.startApp(options)
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const authKey = app.newKey()
  await browser.comeBack(`${app.callbackURL}?auth_key=${authKey}`)
  return authKey
}

const ends = (told: Told[]): TracedPhase[] =>
  told.filter(({ event }) => event === 'asyncEnd').map(({ report }) => report)
const codes = (told: Told[]): Record<string, unknown> =>
  Object.fromEntries(ends(told).map(({ phase, code }) => [phase, code]))

test('onPhaseEnd tells of each run of one phase, well or not, until its subscription ends', async () => {
  const heard: TracedPhase[] = []
  const stop = onPhaseEnd('exchange', (message) => heard.push(message))
  await logIn()
  logins.provider.failNext('authorize', { status: 503 })
  await logIn()
  stop()
  await logIn()
  expect(heard.map(({ phase, code }) => [phase, code])).toStrictEqual([
    ['exchange', undefined],
    ['exchange', 'provider_unavailable'],
  ])
  for (const { duration } of heard) expect(duration).toBeGreaterThan(0)
})

describe('the tracing channels', () => {
  test('report every phase of a login, with its duration and one digest for the whole login', async () => {
    const told = listen()
    const before = performance.now()
    await logIn()
    const elapsed = performance.now() - before
    const reports = ends(told)
    expect(reports.map(({ phase }) => phase)).toStrictEqual(['start', 'exchange', 'profile', 'verify', 'callback'])
    for (const report of reports) {
      expect(report).toStrictEqual({
        strategy: 'social-login',
        phase: report.phase,
        login: expect.stringMatching(/^[\w-]{43}$/),
        duration: expect.any(Number),
      })
      expect(report.duration).toBeGreaterThanOrEqual(0)
      expect(report.duration).toBeLessThan(elapsed)
    }
    expect(new Set(reports.map(({ login }) => login)).size).toBe(1)
    // What runs within a callback knows its login from the beginning.
    const begun = told.find(({ event, report }) => event === 'start' && report.phase === 'verify')?.report
    expect(begun).toStrictEqual({ strategy: 'social-login', phase: 'verify', login: reports[0]?.login })
    const exchange = told.filter(({ report }) => report.phase === 'exchange').map(({ event }) => event)
    // As Node documents.
    expect(exchange).toStrictEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(told.filter(({ event }) => event === 'error')).toStrictEqual([])
  })

  test('propagate a bound store through the callback to the phases within it', async () => {
    const outer = new AsyncLocalStorage<unknown>()
    const { start } = channelOf('callback')
    start.bindStore(outer, ({ phase }) => phase)
    let seen: unknown
    try {
      await logIn({
        verify: async (_accessToken, _refreshToken, profile) => {
          seen = outer.getStore()
          return profile
        },
      })
    } finally {
      start.unbindStore(outer)
    }
    expect(seen).toBe('callback')
  })

  test('report the code of an outcome in its phase and at the callback', async () => {
    const told = listen()
    logins.provider.failNext('authorize', { status: 503 })
    await logIn()
    expect(codes(told)).toEqual({
      start: undefined,
      exchange: 'provider_unavailable',
      callback: 'provider_unavailable',
    })
    const errors = told.filter(({ event }) => event === 'error').map(({ report }) => report.error)
    expect(errors).toStrictEqual([expect.any(SocialLoginError), expect.any(SocialLoginError)])
  })

  test('report which request was retried, whatever its outcome', async () => {
    const told = listen()
    const retried = () => Object.fromEntries(ends(told.splice(0)).map((report) => [report.phase, report.retried]))
    logins.provider.failNext('user/me', { status: 503 })
    await logIn()
    expect(retried()).toEqual({ profile: true })
    logins.provider.failNext('user/me', { status: 503 }, { times: Number.POSITIVE_INFINITY })
    await logIn()
    expect(retried()).toEqual({ profile: true })
    logins.provider.clearFaults()
    logins.provider.failNext('authorize', { reset: 'before' })
    await logIn()
    expect(retried()).toEqual({ exchange: true })
  })

  test('report that verify refused, which is not an error', async () => {
    const told = listen()
    await logIn({ verify: async () => false })
    expect(codes(told)).toEqual({
      start: undefined,
      exchange: undefined,
      profile: undefined,
      verify: 'verify_refused',
      callback: 'verify_refused',
    })
    expect(told.filter(({ event }) => event === 'error')).toStrictEqual([])
  })

  test("do not publish the application's own error", async () => {
    const told = listen()
    await logIn({
      verify: async () => {
        throw new Error('password=hunter2')
      },
    })
    expect(codes(told)).toMatchObject({ verify: 'application_error', callback: 'application_error' })
    expect(findSecrets(['password=hunter2'], { told })).toStrictEqual([])
  })

  test('never contain a secret, a key, a token, a profile or the id of the record', async () => {
    const told = listen()
    let token = 'none'
    const kept: string[] = []
    const authKey = await logIn({
      verify: async (accessToken, _refreshToken, profile) => {
        token = accessToken
        kept.push(...(app.sessions().match(/"id\\?":\\?"[\w-]{22}/g) ?? []))
        return profile
      },
    })
    const recordIDs = kept.map((text) => text.slice(-22))
    expect(recordIDs).toHaveLength(1)
    const secrets = [authKey, token, SECRET_CANARY, 'Lovelace', 'localhost', ...recordIDs]
    expect(findSecrets(secrets, { told })).toStrictEqual([])
  })
})

test('NODE_DEBUG=passport-social-login writes one line for each login that has ended, each request that came to none, and each returnTo that was left out', () => {
  const output = run({ NODE_DEBUG: 'passport-social-login' })
  const lines = output.split('\n').filter((line) => line.startsWith('PASSPORT-SOCIAL-LOGIN'))
  const told = (line: string): string => line.replace(/^\S+ \d+: social-login /, '').replace(/\b\d+ ms/g, 'T')
  const whole = 'exchange T, profile T, verify T, login L'
  const at = 'See passport-social-login/docs/errors.md#'
  const leftOut = 'start: returnTo is ignored: it'
  expect(lines.map((line) => told(line).replace(/login [\w-]{43}/, 'login L'))).toStrictEqual([
    `exchange: auth_key_rejected: ${OUTCOMES.auth_key_rejected.message} (T: exchange T, login L) ${at}auth_key_rejected`,
    `callback: success (T: ${whole})`,
    'callback: success (T: exchange T, profile (sent again) T, verify T, login L)',
    `callback: verify_refused: The verify function did not accept the user. (T: ${whole}) ${at}verify_refused`,
    `verify: application_error: A function of the application failed: its error goes to next(error). (T: ${whole}) ${at}application_error`,
    `callback: application_error: A function of the application failed: its error goes to next(error). (T: exchange T, profile T, login L) ${at}application_error`,
    `exchange: provider_bad_response: ${OUTCOMES.provider_bad_response.message} The authorize endpoint refuses this method: see exchangeMethod. (T: exchange T, login L) ${at}provider_bad_response`,
    `start: the confirm page, because the request does not show that a page of this application linked to it (T) ${at}start_forbidden`,
    `start: speculative_request: ${OUTCOMES.speculative_request.message} (T) ${at}speculative_request`,
    'start: a client-side router, which leaves the navigation to the browser (T)',
    'start: the page that asks the tab (T)',
    expect.stringContaining(`callback: login_not_started: ${OUTCOMES.login_not_started.message} The session came`),
    `${leftOut} must be a string (a query parameter that is repeated is an array)`,
    `${leftOut} must be a path that begins with a slash, such as /inbox`,
    `${leftOut} is on another origin than this application`,
    `${leftOut} has more than 1,024 characters once it is percent-encoded`,
  ])
  expect(findSecrets(['canary'], { output })).toStrictEqual([])
  expect(run({})).toBe('')
})

/** Runs logins of each kind in a separate process. @returns its stderr */
function run(env: Record<string, string>): string {
  const script = join(__dirname, 'debug-lines-program.js')
  const { NODE_DEBUG: _, ...rest } = process.env
  return execFileSync('sh', ['-c', `"${process.execPath}" "${script}" 2>&1 >/dev/null`], {
    encoding: 'utf8',
    // Otherwise Express writes the application's own error there.
    env: { ...rest, NODE_ENV: 'test', ...env },
  })
}
