import { onPhaseEnd, type Phase, type Strategy, type TracedPhase } from '../../../lib'
import type { AppOptions, RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { Database, OwnStore } from '../../support/own-store'
import { stopTimers, until } from '../../support/turns'

const logins = useLogins()
const SECRET = 'social_login_tab=0123456789abcdef0123456789abcdef'

const tabCookieOf = ({ headers }: BrowserAnswer): boolean => String(headers['set-cookie']).includes('social-login-tab')

describe('the cookie that tells a start of the callback of a tab', () => {
  test('is set by the form of the tab alone', async () => {
    const app = await logins.startApp({ strategy: { tabBinding: true } })
    const browser = new Browser()
    const post = { method: 'POST', headers: { origin: app.origin } } as const
    const callback = app.approvedCallback()
    const answers = [
      await browser.follow(`${app.loginURL}?${SECRET}`, post),
      await browser.comeBack(callback),
      await browser.follow(`${callback}&${SECRET}`, post),
    ]
    expect(answers.map(({ status }) => status)).toStrictEqual([302, 200, 200])
    expect(answers.map(tabCookieOf)).toStrictEqual([false, false, true])
  })

  test('is not set by a callback that comes by POST without tabBinding', async () => {
    const app = await logins.startApp()
    const answer = await new Browser().follow(`${app.approvedCallback()}&${SECRET}`, { method: 'POST' })
    expect([answer.status, tabCookieOf(answer)]).toStrictEqual([405, false])
  })
})

/** What the phases come to that some work runs. */
async function phasesOf(phases: readonly Phase[], work: () => Promise<unknown>): Promise<TracedPhase[]> {
  const told: TracedPhase[] = []
  const ends = phases.map((phase) => onPhaseEnd(phase, (message) => void told.push(message)))
  await work()
  for (const end of ends) end()
  return told
}

test('a page that answers a request is traced by its name, and is no outcome', async () => {
  const app = await logins.startApp({ strategy: { tabBinding: true }, callback: { successRedirect: '/me' } })
  const browser = new Browser()
  const post = { method: 'POST', headers: { origin: app.origin } } as const
  const callback = app.approvedCallback()
  const told = await phasesOf(['start', 'callback'], async () => {
    await browser.request(app.loginURL, { headers: { accept: 'text/html' } })
    await browser.follow(app.loginURL, {
      headers: { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'hx-request': 'true' },
    })
    await browser.follow(app.loginURL)
    await browser.follow(`${app.loginURL}?${SECRET}`)
    await browser.comeBack(callback)
    await browser.follow(`${callback}&${SECRET}`, post)
    await browser.follow(`${callback}&${SECRET}`, post)
  })
  expect(told.map(({ code, page }) => code ?? page)).toStrictEqual([
    ...['confirm', 'router', 'tab', undefined, 'tab', undefined, 'login_not_started'],
  ])
  // From the start on, it is known of which login they are.
  const [login] = told.splice(3).map((message) => message.login)
  expect(login).toMatch(/^[\w-]{43}$/)
  expect(told.map((message) => message.login)).toStrictEqual([undefined, undefined, undefined])
})

test.each([
  ['/auth?returnTo=/inbox', 'start'],
  ['/auth?returnTo=/help/auth_key', 'start'],
  ['/auth?auth_key=1', 'callback'],
  ['/callback?auth_key=1', 'callback'],
  ['/callback?returnTo=a?auth_key=1', 'callback'],
])('of a provider that is not known, the request %s is a %s', async (path, phase) => {
  const app = await logins.startApp({ provider: () => undefined })
  const told = await phasesOf(['start', 'callback'], () => new Browser().follow(app.origin + path))
  expect(told.map((message) => `${message.phase} ${message.code}`)).toStrictEqual([`${phase} provider_unknown`])
  expect(app.errors).toStrictEqual([])
})

/** With a page `/pending` that answers what `pendingLogin` tells. */
function startTelling(options: AppOptions): Promise<RunningApp> {
  const started: Promise<RunningApp> = logins.startApp({
    start: { returnTo: '/inbox' },
    before: (express) =>
      express.get('/pending', async (req, res) => {
        const { strategy } = await started
        res.json((await strategy.pendingLogin(req)) ?? null)
      }),
    ...options,
  })
  return started
}

const pendingAt = async ({ origin }: RunningApp, browser: Browser): Promise<unknown> =>
  JSON.parse((await browser.follow(`${origin}/pending`)).body)

test('no login is pending from the moment on in which a callback uses it', async () => {
  const app = await startTelling({ keep: 'cookie' })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  expect(await pendingAt(app, browser)).toMatchObject({ returnTo: '/inbox' })
  logins.provider.failNext('authorize', { delay: 200 })
  const callback = browser.comeBack(app.approvedCallback())
  await until(() => logins.exchanges() > 0)
  expect(await pendingAt(app, browser)).toBeNull()
  expect((await callback).status).toBe(200)
})

test('no login is pending that another process has used', async () => {
  const application = logins.provider.registerApplication({ name: 'Two', redirectURL: 'http://localhost/callback' })
  const strategy = { callbackURL: '/callback', store: new OwnStore(new Database()) }
  const [one, two] = [
    await startTelling({ application, strategy, session: false, callback: { session: false } }),
    await startTelling({ application, strategy, session: false, callback: { session: false } }),
  ]
  const browser = new Browser()
  await browser.follow(one.loginURL)
  expect(await pendingAt(two, browser)).toMatchObject({ returnTo: '/inbox' })
  expect((await browser.comeBack(one.approvedCallback())).status).toBe(200)
  expect(await pendingAt(two, browser)).toBeNull()
})

test('what a store has kept is checked before pendingLogin tells it', async () => {
  class WrittenByOthers extends OwnStore {
    override async load(...args: Parameters<OwnStore['load']>): ReturnType<OwnStore['load']> {
      const record = await super.load(...args)
      return record && { ...record, returnTo: '//evil.example/' }
    }
  }
  const app = await startTelling({ strategy: { store: new WrittenByOthers(new Database()) } })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const told = await pendingAt(app, browser)
  expect(told).toHaveProperty('startedAt')
  expect(told).not.toHaveProperty('returnTo')
})

/** The timers for so many milliseconds that some work has set and not cleared. */
async function leftTimers(milliseconds: number, work: () => Promise<unknown>): Promise<{ set: number; left: number }> {
  const set = jest.spyOn(globalThis, 'setTimeout')
  const clear = jest.spyOn(globalThis, 'clearTimeout')
  try {
    await work()
    const timers = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === milliseconds)
    const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer))
    return { set: timers.length, left: timers.filter(({ value }) => !cleared.has(value)).length }
  } finally {
    jest.restoreAllMocks()
  }
}

const profileOf = (strategy: Strategy, token: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    strategy.userProfile(token, (error, profile) => (error ? reject(error) : resolve(profile)))
  })

test('the deadlines of a login and of userProfile end with them', async () => {
  const timeout = 43_210
  let token = 'none'
  const app = await logins.startApp({
    strategy: { timeout },
    verify: async (accessToken) => {
      token = accessToken
      return {}
    },
  })
  const ofLogin = await leftTimers(timeout, () => app.logIn())
  const ofProfile = await leftTimers(timeout, () => profileOf(app.strategy, token))
  expect([ofLogin, ofProfile].map(({ set, left }) => [set > 0, left])).toStrictEqual([
    [true, 0],
    [true, 0],
  ])
})

test('userProfile ends at the deadline', async () => {
  const app = await logins.startApp({ strategy: { timeout: 200 } })
  logins.provider.failNext('user/me', { hang: true })
  await expect(profileOf(app.strategy, 'token')).rejects.toMatchObject({ code: 'provider_timeout', phase: 'profile' })
})

test('userProfile takes one of the slots of logins, and none after close', async () => {
  const app = await logins.startApp({ strategy: { maxConcurrentLogins: 1, timeout: 20_000 } })
  logins.provider.failNext('user/me', { hang: true })
  stopTimers()
  const waiting = expect(profileOf(app.strategy, 'token')).rejects.toMatchObject({ code: 'provider_timeout' })
  expect((await app.logIn()).headers).toMatchObject({ 'social-login': 'overloaded' })
  jest.advanceTimersByTime(20_000)
  jest.useRealTimers()
  await waiting
  await app.strategy.close()
  await expect(profileOf(app.strategy, 'token')).rejects.toThrow('The connections to the provider are closed')
})
