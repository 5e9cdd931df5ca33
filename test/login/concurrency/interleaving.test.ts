import fc from 'fast-check'
import type { RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { HookedStore } from '../../support/hooked-store'
import { listen } from '../../support/listen'
import { useLogins } from '../../support/logins'
import { settled } from '../../support/turns'

// Half of the interleavings for each store; on a slow machine as many as the time limit allows.
const RUNS = Number(process.env['INTERLEAVING_RUNS'] ?? 2000)
const MAX_MILLISECONDS = Number(process.env['INTERLEAVING_MS'] ?? 20_000)

/** Waits for the scheduler; undefined outside of an interleaving. */
type Gate = (what: string) => Promise<void>

describe.each(['session', 'cookie'] as const)('with the login in progress in the %s', (keep) => {
  const logins = useLogins('each test', { rateLimit: 1_000_000 })
  let gate: Gate | undefined
  let verified: number
  /** Number of callbacks that reached the strategy before the login was verified: they share it. */
  let early: number
  let arrivals: string[]

  /** An application that waits for the scheduler at its session store, its verify function, and the provider. */
  async function start(): Promise<RunningApp> {
    const { origin } = logins.stopLater(
      await listen((req, res) => {
        const turn = gate?.(req.url ?? '') ?? Promise.resolve()
        turn.then(() => logins.provider.requestListener(req, res), res.destroy)
      }, '127.0.0.1'),
    )
    const store = new HookedStore()
    store.before = async (operation) => gate?.(operation)
    return logins.startApp({
      keep,
      store,
      strategy: { baseURL: `${origin}/api/v1` },
      verify: async (_accessToken, _refreshToken, profile) => {
        await gate?.('verify')
        verified += 1
        return { id: profile.id }
      },
      callback: {},
      before: (app) =>
        // After the session was read: the callback's copy may be outdated when it continues.
        app.use('/callback', async (req, _res, next) => {
          await gate?.('arrival')
          arrivals.push(String(req.query['auth_key']))
          if (verified === 0) early += 1
          next()
        }),
    })
  }

  /** Sends the callbacks at once; the scheduler determines the order of all further steps. */
  async function interleave(app: RunningApp, scheduler: fc.Scheduler, browser: Browser, keys: readonly string[]) {
    verified = 0
    early = 0
    arrivals = []
    logins.provider.clearRequests()
    gate = (what) => scheduler.schedule(Promise.resolve(), what)
    const answers: BrowserAnswer[] = []
    const callbacks = keys.map(async (key) => {
      answers.push(await browser.comeBack(`${app.callbackURL}?auth_key=${key}`))
    })
    while (answers.length < keys.length) {
      // All possible steps are queued before the next one is chosen.
      await settled(() => scheduler.count() + answers.length)
      if (scheduler.count() > 0) await scheduler.waitNext(1)
    }
    await Promise.all(callbacks)
    gate = undefined
    return answers
  }

  test(`${Math.ceil(RUNS / 2)} interleavings of two or three callbacks make one exchange and one signed-in browser`, async () => {
    const app = await start()
    const users = ['1', '2', '3']
    const which = fc.array(fc.nat(2), { minLength: 2, maxLength: 3 })
    const seen = { shared: 0, late: 0, refused: 0 }
    const end = performance.now() + MAX_MILLISECONDS
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), which, async (scheduler, choice) => {
        // Not fast-check's own time limit: it abandons a run, whose requests then fail unhandled.
        if (performance.now() > end) return
        const issued = users.map((userID) => app.newKey(userID))
        const keys = choice.map((index) => issued[index] ?? '')
        const browser = new Browser()
        await browser.follow(app.loginURL)
        const answers = await interleave(app, scheduler, browser, keys)

        const exchanges = logins.provider.requests.filter(({ endpoint }) => endpoint === 'authorize')
        expect(exchanges).toHaveLength(1)
        expect(verified).toBe(1)
        const winner = exchanges[0]?.form['auth_key'] ?? ''
        const user = { id: users[issued.indexOf(winner)] }
        const signedIn = answers.filter(({ status }) => status === 200)
        const refused = answers.filter(({ status }) => status === 403)
        expect(signedIn.length + refused.length).toBe(keys.length)
        for (const { body } of signedIn) expect(JSON.parse(body).user).toEqual(user)
        // Callbacks with the winner's key during the login share it; no other key signs in.
        const sharing = arrivals.slice(0, early).filter((key) => key === winner).length
        expect(signedIn.length).toBeGreaterThanOrEqual(sharing)
        expect(signedIn.length).toBeLessThanOrEqual(keys.filter((key) => key === winner).length)
        expect(await app.userOf(browser)).toEqual(user)
        seen.shared += signedIn.length - 1
        seen.late += arrivals.slice(early).filter((key) => key === winner).length
        seen.refused += refused.length
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    )
    expect(Math.min(seen.shared, seen.late, seen.refused)).toBeGreaterThan(0)
  }, 600_000)
})
