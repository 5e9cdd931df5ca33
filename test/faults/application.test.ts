import { MemoryStore } from 'express-session'
import { codeOf, type RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { HookedStore, type StoreOperation } from '../support/hooked-store'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

const logins = useLogins()
afterEach(() => jest.restoreAllMocks())

const STORE_CANARY = 'store-canary-1f77'

/** Makes one operation of a store fail. */
function failing(broken: StoreOperation): HookedStore['before'] {
  return async (operation) => {
    if (operation === broken) throw new Error(`redis://user:${STORE_CANARY}@db is down`)
  }
}

async function begin(app: RunningApp): Promise<Browser> {
  const browser = new Browser()
  expect((await browser.follow(app.loginURL)).status).toBe(302)
  return browser
}

describe('a session store', () => {
  test.each([
    ['get', false, 0],
    ['set', true, 0],
    ['destroy', false, 1],
  ] as const)(
    'whose %s fails at the callback signs nobody in, and its error text is never passed on',
    async (operation, isOurs, sent) => {
      const store = new HookedStore()
      const app = await logins.startApp({ store })
      const browser = await begin(app)
      const address = app.approvedCallback()
      store.before = failing(operation)
      const answer = await browser.comeBack(address)
      expect([answer.status, answer.headers['retry-after']]).toEqual(isOurs ? [503, '5'] : [500, undefined])
      expect(logins.exchanges()).toBe(sent)
      if (isOurs) {
        expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable'])
        expect(findSecrets([STORE_CANARY], { body: answer.body, errors: app.errors })).toStrictEqual([])
      }
      store.before = undefined
      expect(await app.userOf(browser)).toBeNull()
      if (sent > 0) return
      // Login and key are unspent: one reload works once the store recovers.
      for (const status of [200, 403]) {
        expect((await browser.comeBack(address)).status).toBe(status)
        expect(logins.exchanges()).toBe(1)
      }
    },
  )

  test('that saves slowly is awaited before the key is sent', async () => {
    const store = new HookedStore()
    const app = await logins.startApp({ store })
    const browser = await begin(app)
    let release: (() => void) | undefined
    store.before = (operation) =>
      new Promise((resolve) => {
        if (operation !== 'set' || release) resolve()
        else release = resolve
      })
    const answer = browser.comeBack(app.approvedCallback())
    await until(() => release !== undefined)
    await new Promise((resolve) => setImmediate(resolve))
    expect(logins.provider.requests).toStrictEqual([])
    release?.()
    expect((await answer).status).toBe(200)
  })
})

describe('a process', () => {
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
      const callback = after.approvedCallback()
      expect((await browser.comeBack(callback)).status).toBe(200)
      expect((await browser.comeBack(callback)).status).toBe(403)
      expect(logins.exchanges()).toBe(1)
    },
  )
})
