import { MemoryStore } from 'express-session'
import { CookieStore } from '../../lib'
import { type AppOptions, COOKIE_KEY_CANARY, codeOf, failureIn, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { captureOutput, findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'
import { BrokenStore, STORE_CANARY } from './broken-store'

const logins = useLogins()
afterEach(() => jest.restoreAllMocks())

async function begin(app: RunningApp): Promise<Browser> {
  const browser = new Browser()
  expect((await browser.follow(app.loginURL)).status).toBe(302)
  return browser
}

async function expectGoodLogin(app: RunningApp): Promise<void> {
  const browser = await begin(app)
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
}

describe('a session store', () => {
  test.each([
    ['get', false, 0],
    ['set', true, 0],
    ['destroy', false, 1],
    ['regenerate', false, 1],
  ] as const)(
    'whose %s fails at the callback signs nobody in, and its error text is never passed on',
    async (operation, isOurs, sent) => {
      const store = new BrokenStore()
      const app = await logins.startApp({ store })
      const browser = await begin(app)
      store.fail(operation)
      const answer = await browser.comeBack(app.approvedCallback())
      expect([answer.status, answer.headers['retry-after']]).toEqual(isOurs ? [503, '5'] : [500, undefined])
      expect(logins.exchanges()).toBe(sent)
      if (isOurs) {
        expect(app.errors.map(codeOf)).toEqual(['session_unavailable'])
        expect(findSecrets([STORE_CANARY], { body: answer.body, errors: app.errors })).toEqual([])
      }
      store.mend()
      expect(JSON.parse((await browser.follow(`${app.origin}/me`)).body)).toMatchObject({ user: null })
      await expectGoodLogin(app)
    },
  )

  test.each(['get', 'set'] as const)(
    'whose %s fails at the callback keeps login and key unspent: a reload works once it recovers',
    async (operation) => {
      const store = new BrokenStore()
      const app = await logins.startApp({ store })
      const browser = await begin(app)
      const address = app.approvedCallback()
      store.fail(operation)
      for (let visit = 0; visit < 3; visit += 1)
        expect((await browser.comeBack(address)).status).toBeGreaterThanOrEqual(500)
      expect(logins.exchanges()).toBe(0)
      store.mend()
      expect((await browser.comeBack(address)).status).toBe(200)
      expect(logins.exchanges()).toBe(1)
      const again = await browser.comeBack(address)
      expect([again.status, logins.exchanges()]).toEqual([200, 1])
    },
  )

  test('whose save reports a failure but succeeded still lets the record be used only once', async () => {
    const store = new BrokenStore()
    const app = await logins.startApp({ store, strategy: { timeout: 200 } })
    const browser = await begin(app)
    const address = app.approvedCallback()
    let answerLate = (): void => {}
    store.before = (operation) =>
      operation === 'set'
        ? new Promise((resolve) => {
            answerLate = resolve
          })
        : Promise.resolve()
    const first = browser.comeBack(address)
    expect((await first).status).toBe(503)
    answerLate()
    store.mend()
    const answers = [await browser.comeBack(address), await browser.comeBack(address)]
    expect(logins.exchanges()).toBeLessThanOrEqual(1)
    expect(answers.filter(({ status }) => status === 200 || status === 403)).toHaveLength(2)
  })

  test('that cannot save at the start prevents the redirect to the provider', async () => {
    const store = new BrokenStore()
    const app = await logins.startApp({ store })
    store.fail('set')
    expect((await new Browser().follow(app.loginURL)).status).toBe(503)
    expect(app.errors.map(codeOf)).toEqual(['session_unavailable'])
    store.mend()
    await expectGoodLogin(app)
  })

  test('that saves slowly is awaited before the key is sent', async () => {
    const store = new BrokenStore()
    const app = await logins.startApp({ store })
    const browser = await begin(app)
    let release = (): void => {}
    const saving = new Promise<void>((resolve) => {
      store.before = (operation) =>
        operation === 'set'
          ? new Promise((saved) => {
              release = saved
              resolve()
            })
          : Promise.resolve()
    })
    const answer = browser.comeBack(app.approvedCallback())
    await saving
    await new Promise((resolve) => setImmediate(resolve))
    expect(logins.provider.requests).toEqual([])
    store.mend()
    release()
    expect((await answer).status).toBe(200)
  })

  test('that loses the record gives login_not_started, and no key is sent', async () => {
    const app = await logins.startApp()
    const browser = await begin(app)
    app.store.clear()
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
    expect(failureIn(app.sessions())).toBe('login_not_started')
    expect(logins.provider.requests).toEqual([])
    await expectGoodLogin(app)
  })
})

describe('a verify function', () => {
  const own = Object.assign(new Error('database down'), { status: 507 })

  test.each<[string, NonNullable<AppOptions['verify']>, number]>([
    [
      'throws',
      () => {
        throw own
      },
      507,
    ],
    ['rejects', () => Promise.reject(own), 507],
    ['gives done an error', (_token, _refresh, _profile, done) => done(own), 507],
    ['never answers', () => {}, 504],
    ['returns false', async () => false, 401],
    ['returns null', async () => null, 401],
  ])(
    'that %s ends the login with its status, removes the record, and leaves the next login good',
    async (_, verify, status) => {
      let isBroken = true
      const good: AppOptions['verify'] = async (_token, _refresh, profile) => ({ id: profile.id })
      const app = await logins.startApp({
        strategy: { verifyTimeout: 100 },
        verify: (...args) => (isBroken ? verify(...args) : good(...args)),
      })
      const browser = await begin(app)
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(status)
      const sent = logins.exchanges()
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
      expect(logins.exchanges()).toBe(sent)
      isBroken = false
      await expectGoodLogin(app)
    },
  )

  test('that answers twice counts once; the second answer is a process warning', async () => {
    const app = await logins.startApp({
      verify: (_token, _refresh, profile, done) => {
        done(null, { id: profile.id })
        done(null, { id: 'somebody else' })
        done(own)
      },
    })
    const browser = await begin(app)
    const { result, output } = await captureOutput(async () => {
      const answer = await browser.comeBack(app.approvedCallback())
      await new Promise((resolve) => setImmediate(resolve))
      return answer
    })
    expect(JSON.parse(result.body).user).toEqual({ id: '1' })
    expect(app.errors).toEqual([])
    expect(output).toContain('ignored')
  })
})

describe('a process and its clock', () => {
  test.each(['session', 'cookie'] as const)(
    'restarts between start and callback (%s stored outside of it): the login succeeds',
    async (keep) => {
      const store = new MemoryStore()
      const before = await logins.startApp({ keep, store })
      const browser = await begin(before)
      await before.stop()
      const after = await logins.startApp({
        keep,
        ...(keep === 'session' && { store }),
        application: before.application,
      })
      expect((await browser.comeBack(after.approvedCallback())).status).toBe(200)
      expect((await browser.comeBack(after.approvedCallback())).status).toBe(200)
      expect(logins.exchanges()).toBe(1)
    },
  )

  test('restarts with an in-memory session store: login_not_started, and no key is sent', async () => {
    const before = await logins.startApp()
    const browser = await begin(before)
    const after = await logins.startApp({ application: before.application })
    expect((await browser.comeBack(after.approvedCallback())).status).toBe(403)
    expect(logins.provider.requests).toEqual([])
  })

  test('are two workers with one store: what one starts, the other finishes, once', async () => {
    const store = new MemoryStore()
    const one = await logins.startApp({ store })
    const two = await logins.startApp({ store, application: one.application })
    const browser = await begin(one)
    const query = new URL(one.approvedCallback()).search
    expect((await browser.comeBack(`${two.callbackURL}${query}`)).status).toBe(200)
    await browser.comeBack(`${one.callbackURL}${query}`)
    expect(logins.exchanges()).toBe(1)
  })

  test('rotate the key of the cookie between start and callback: the old one still opens', async () => {
    const before = await logins.startApp({ keep: 'cookie' })
    const browser = await begin(before)
    const keys = ['a new key of at least 32 characters', COOKIE_KEY_CANARY]
    const store = new CookieStore({ keys })
    const after = await logins.startApp({ application: before.application, strategy: { store } })
    expect((await browser.comeBack(after.approvedCallback())).status).toBe(200)
  })

  test.each([-3_600_000, 3_600_000])('jump by %d ms: the login has expired, and no key is sent', async (jump) => {
    const app = await logins.startApp({ session: { cookie: { maxAge: 86_400_000 } } })
    const browser = await begin(app)
    const { now } = Date
    jest.spyOn(Date, 'now').mockImplementation(() => now() + jump)
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
    jest.restoreAllMocks()
    expect(failureIn(app.sessions())).toBe('login_expired')
    expect(logins.provider.requests).toEqual([])
    await expectGoodLogin(app)
  })
})
