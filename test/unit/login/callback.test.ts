import type { IncomingMessage } from 'node:http'
import { type PendingLogin, type PendingLoginStore, SocialLoginError } from '../../../lib'
import type { RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer, type BrowserRequest } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { settled, until } from '../../support/turns'

const logins = useLogins()

/** Of one browser. It keeps the whole record, consumed or not, and tells what it was asked. */
class OneLogin implements PendingLoginStore {
  readonly told: string[] = []
  readonly saved: PendingLogin[] = []
  /** What `consume` was given. */
  readonly given: PendingLogin[] = []
  /** Awaited before the call of `consume` with this number ends. */
  before: (call: number) => Promise<unknown> = async () => undefined
  /** By how much older the record is than the time since the start. */
  ageMs = 0
  /** What is stored in the record meanwhile. */
  stored: object = {}
  #record: PendingLogin | undefined

  save(_req: IncomingMessage, record: PendingLogin): void {
    this.saved.push(record)
    this.#record = record
  }

  load(): PendingLogin | undefined {
    this.told.push('load')
    return this.#record && { ...this.#record, issuedAt: this.#record.issuedAt - this.ageMs, ...this.stored }
  }

  async consume(_req: IncomingMessage, record: PendingLogin): Promise<boolean> {
    const call = this.given.push(record)
    this.told.push(`consume ${call}`)
    await this.before(call)
    const isFirst = this.#record?.consumed !== true
    this.#record = { ...record, consumed: true }
    this.told.push(`consumed ${call}`)
    return isFirst
  }

  count(what: string): number {
    return this.told.filter((one) => one === what).length
  }
}

async function startWith(store: OneLogin): Promise<RunningApp> {
  return logins.startApp({
    strategy: { store },
    verify: async (_accessToken, _refreshToken, { id }) => {
      store.told.push('verify')
      return { id }
    },
  })
}

/** Sends a callback twice, so that the store is asked for both before the first has used it. */
async function doubleClick(app: RunningApp, store: OneLogin, browser: Browser): Promise<Promise<BrowserAnswer>[]> {
  await browser.follow(app.loginURL)
  const callback = app.approvedCallback()
  const told = (call: number) => (answer: BrowserAnswer) => {
    store.told.push(`answer ${call}`)
    return answer
  }
  const first = browser.comeBack(callback).then(told(1))
  await until(() => store.told.includes('consume 1'))
  return [first, browser.comeBack(callback).then(told(2))]
}

const bothLoaded = async (store: OneLogin): Promise<void> => {
  await until(() => store.count('load') === 2)
  await settled(() => store.told.length)
}

test('of a double click the second callback marks the record after the first and before the login ends, with the record as it was saved', async () => {
  const store = new OneLogin()
  store.before = async (call) => {
    if (call === 1) return bothLoaded(store)
    await until(() => store.told.includes('answer 1'))
    await settled(() => store.told.length)
  }
  const app = await startWith(store)
  logins.provider.failNext('authorize', { delay: 200 })
  const answers = await Promise.all(await doubleClick(app, store, new Browser()))
  expect(answers.map(({ status }) => status)).toStrictEqual([200, 200])
  expect(store.told).toStrictEqual([
    ...['load', 'consume 1', 'load', 'consumed 1', 'consume 2', 'verify', 'answer 1', 'consumed 2', 'answer 2'],
  ])
  const [saved] = store.saved
  expect(store.given).toStrictEqual([saved, saved])
})

test('a second click that finds the record marked does not mark it again, and is told all that the first is', async () => {
  const store = new OneLogin()
  const app = await logins.startApp({ strategy: { store }, start: { returnTo: '/inbox', state: 'cart-7' } })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  logins.provider.failNext('authorize', { delay: 200 })
  const callback = app.approvedCallback()
  const first = browser.comeBack(callback)
  await until(() => logins.exchanges() > 0)
  const [one, two] = [await browser.comeBack(callback), await first].map(({ body }) => JSON.parse(body).info)
  const assurance = { ...two.assurance, age: expect.any(Number) }
  expect([one, two]).toStrictEqual([
    { assurance, returnTo: '/inbox', state: 'cart-7', duplicate: true },
    { assurance, returnTo: '/inbox', state: 'cart-7' },
  ])
  expect(store.given).toHaveLength(1)
})

test('of a record that something else has written, only what a login would write is taken', async () => {
  const store = new OneLogin()
  const app = await startWith(store)
  const browser = new Browser()
  await browser.follow(app.loginURL)
  store.stored = { returnTo: '//evil.example', state: { cart: 7 } }
  const { info } = JSON.parse((await browser.comeBack(app.approvedCallback())).body)
  expect(info).toStrictEqual({ assurance: expect.anything(), state: { cart: 7 } })
  await browser.follow(app.loginURL)
  store.stored = { id: 4711 }
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(403)
})

test('where the record cannot be marked both callbacks of a double click say so, and a reload signs in', async () => {
  const store = new OneLogin()
  store.before = async () => {
    await bothLoaded(store)
    throw new Error('the database is away')
  }
  const app = await startWith(store)
  const browser = new Browser()
  const answers = await Promise.all(await doubleClick(app, store, browser))
  expect(answers.map(({ status }) => status)).toStrictEqual([503, 503])
  store.before = async () => undefined
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
})

const [TYPED, LATE] = ['The address was typed, or opened from another program', 'more than 30 seconds after the start']

test.each([
  { cause: 'a typed address', site: 'none', isOfApp: false, ageMs: 0, says: TYPED },
  { cause: 'a typed address after 40 seconds', site: 'none', isOfApp: false, ageMs: 40_000, says: TYPED },
  { cause: 'a link after 40 seconds', site: 'cross-site', isOfApp: true, ageMs: 40_000, says: LATE },
  { cause: 'a reload by WebKit of what came late', site: 'none', isOfApp: true, ageMs: 40_000, says: LATE },
])('callback_forged names $cause, and nothing else', async ({ site, isOfApp, ageMs, says }) => {
  const store = new OneLogin()
  const app = await startWith(store)
  const browser = new Browser()
  await browser.follow(app.loginURL)
  store.ageMs = ageMs
  const headers = { 'sec-fetch-site': site, ...(isOfApp && { referer: `${app.origin}/` }) }
  const { status, body } = await browser.comeBack(app.approvedCallback(), { headers })
  expect([status, [TYPED, LATE].filter((hint) => body.includes(hint))]).toStrictEqual([403, [says]])
  expect(store.told).toStrictEqual(['load'])
})

test('under tabBinding only the tab that has the secret shares a login that runs', async () => {
  const app = await logins.startApp({ strategy: { tabBinding: true } })
  const browser = new Browser()
  const secret = 'social_login_tab=0123456789abcdef0123456789abcdef'
  await browser.follow(`${app.loginURL}?${secret}`)
  const callback = app.approvedCallback()
  const submit = (): Promise<BrowserAnswer> =>
    browser.follow(`${callback}&${secret}`, { method: 'POST', headers: { origin: app.origin } })
  logins.provider.failNext('authorize', { delay: 300 })
  const first = submit()
  await until(() => logins.exchanges() > 0)
  const [other, second] = await Promise.all([browser.comeBack(callback), submit()])
  expect([(await first).status, second.status, other.status]).toStrictEqual([200, 200, 403])
  expect(logins.exchanges()).toBe(1)
})

test('an error that the application throws is handed on as it is', async () => {
  const error = new Error('no database')
  const app = await logins.startApp({ verify: () => Promise.reject(error) })
  await app.logIn()
  expect(app.errors).toStrictEqual([error])
  expect(error).not.toHaveProperty('startPath')
})

test('an error of ours that the application throws each time leads back to where each login began, if a link can', async () => {
  const error = new SocialLoginError('overloaded', 'verify')
  const app = await logins.startApp({ verify: () => Promise.reject(error) })
  const startPathAfter = async (query: string, request: BrowserRequest = {}): Promise<string | undefined> => {
    const browser = new Browser()
    await browser.follow(app.loginURL + query, { headers: { origin: app.origin }, ...request })
    await browser.comeBack(app.approvedCallback())
    return startPathOf(app.errors.at(-1))
  }
  expect(await startPathAfter('?from=one')).toBe('/auth?from=one')
  expect(await startPathAfter('?from=two')).toBe('/auth?from=two')
  // No link can lead back to a form.
  expect(await startPathAfter('', { method: 'POST' })).toBeUndefined()
})

test.each([
  ['one error', new SocialLoginError('provider_unavailable', 'verify')],
  ['one frozen error', Object.freeze(new SocialLoginError('provider_unavailable', 'verify'))],
])('two logins that fail in the same moment with %s do not get the start of the other', async (_title, error) => {
  const failBoth: (() => void)[] = []
  const verify = (): Promise<never> =>
    new Promise((_resolve, reject) => {
      failBoth.push(() => reject(error))
      if (failBoth.length === 2) for (const fail of failBoth) fail()
    })
  const app = await logins.startApp({ verify })
  const fail = async (query: string): Promise<void> => {
    const browser = new Browser()
    await browser.follow(app.loginURL + query)
    await browser.comeBack(app.approvedCallback())
  }
  await Promise.all([fail('?from=one'), fail('?from=two')])
  expect(app.errors.map(startPathOf).toSorted()).toStrictEqual(['/auth?from=one', '/auth?from=two'])
  for (const each of app.errors) {
    expect(each).toBeInstanceOf(SocialLoginError)
    expect(each).toMatchObject({ code: 'provider_unavailable', message: error.message, stack: error.stack })
  }
})

function startPathOf(error: unknown): string | undefined {
  return error instanceof SocialLoginError ? error.startPath : undefined
}
