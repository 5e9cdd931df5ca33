import { type PendingLogin, type PendingLoginStore, SessionStore } from '../../lib'
import { type AppOptions, codeOf, failureIn, type RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

const logins = useLogins()
let app: RunningApp

async function start(options: AppOptions = {}): Promise<Browser> {
  app = await logins.startApp(options)
  return new Browser()
}

const LASTING = { cookie: { maxAge: 60_000 } }

test('a store that marks a login as used and answers too late fails it closed: nothing is sent, and a reload finds no login', async () => {
  const session = new SessionStore()
  const store: PendingLoginStore = {
    save: (req, record) => session.save(req, record),
    load: (req) => session.load(req),
    consume: async (req, record) => {
      await session.consume(req, record)
      await new Promise(() => {})
    },
  }
  const browser = await start({ strategy: { store, timeout: 1000 }, session: LASTING })
  await browser.follow(app.loginURL)
  const callback = app.approvedCallback()
  await browser.comeBack(callback)
  expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable'])
  expect(failureIn((await browser.comeBack(callback)).body)).toBe('login_not_started')
  expect(logins.provider.requests).toStrictEqual([])
})

describe('while a login waits for the provider', () => {
  test.each([{ status: 500 }, {}])(
    'a logout stays a logout, whatever the provider answers then (%j)',
    async (answer) => {
      const browser = await start({ session: LASTING, callback: {}, verify: async () => false })
      await browser.follow(`${app.origin}/become`)
      await browser.follow(app.loginURL)
      logins.provider.failNext('authorize', { ...answer, delay: 100 })
      const cookies = await browser.cookies(app.origin)
      const late = browser.comeBack(app.approvedCallback())
      await until(() => logins.exchanges() === 1)
      await browser.follow(`${app.origin}/logout`, { method: 'POST' })
      await late
      expect(await app.userOf(browser)).toBeNull()
      expect(await app.userOf(new Browser({ cookie: cookies }))).toBeNull()
    },
  )

  test('a logout between the read and the save of a callback’s session is kept in the browser, though not for a copy of its old cookie', async () => {
    const store = new HookedStore()
    const browser = await start({ store, callback: {}, verify: async () => false })
    await browser.follow(`${app.origin}/become`)
    await browser.follow(app.loginURL)
    let release: (() => void) | undefined
    store.before = (operation) =>
      new Promise((resolve) => {
        if (operation !== 'set' || release) resolve()
        else release = resolve
      })
    const cookies = await browser.cookies(app.origin)
    const late = browser.comeBack(app.approvedCallback())
    await until(() => release !== undefined)
    await browser.follow(`${app.origin}/logout`, { method: 'POST' })
    release?.()
    expect((await late).status).toBe(401)
    expect(await app.userOf(browser)).toBeNull()
    expect(await app.userOf(new Browser({ cookie: cookies }))).toEqual({ id: 'another' })
  })

  test('a second start is not undone by the end of the first login', async () => {
    const browser = await start()
    await browser.follow(app.loginURL)
    logins.provider.failNext('authorize', { delay: 200, status: 500 })
    const stalled = browser.comeBack(app.approvedCallback('1'))
    await until(() => logins.exchanges() === 1)
    await browser.follow(app.loginURL)
    expect((await stalled).status).toBe(502)
    expect((await browser.comeBack(app.approvedCallback('2'))).status).toBe(200)
    expect(await app.userOf(browser)).toEqual({ id: '2' })
  })
})

describe('a store that fails', () => {
  test.each<[string, (record: object) => object]>([
    ['turns the time of the start into text', (record) => ({ ...record, issuedAt: new Date().toISOString() })],
    ['loses the strategy', (record) => ({ ...record, strategyDigest: undefined })],
  ])('and %s has no record: no login lasts forever', async (_title, change) => {
    let kept = ''
    const store: PendingLoginStore = {
      save: async (_req, record) => {
        kept = JSON.stringify(change(record))
      },
      load: async () => JSON.parse(kept),
      consume: async () => {},
    }
    app = await logins.startApp({ strategy: { store } })
    expect((await app.logIn()).status).toBe(403)
    expect(failureIn(app.sessions())).toBe('login_not_started')
  })

  test('at once, without a promise, while it consumes leaves the key unspent, and the login to a reload', async () => {
    let kept: PendingLogin | undefined
    let fails = true
    const store: PendingLoginStore = {
      save: (_req, record) => {
        kept = record
      },
      load: () => kept,
      consume: (_req, record) => {
        if (fails) throw new Error('the database is down')
        kept = { ...record, consumed: true }
      },
    }
    const browser = await start({ strategy: { store } })
    await browser.follow(app.loginURL)
    const address = app.approvedCallback()
    expect((await browser.comeBack(address)).status).toBe(503)
    expect(logins.exchanges()).toBe(0)
    fails = false
    expect((await browser.comeBack(address)).status).toBe(200)
  })

  const brokenStore = (save: () => Promise<void>): PendingLoginStore => ({
    save,
    load: async () => undefined,
    consume: async () => {},
  })

  test.each<[string, string, () => Promise<void>]>([
    ['rejects', 'reported an error', () => Promise.reject(new Error('redis://user:password@db is down'))],
    ['never answers', 'did not answer', () => new Promise(() => {})],
  ])('and %s gives session_unavailable, whose message says that it %s', async (_title, hint, save) => {
    const browser = await start({ strategy: { timeout: 100, store: brokenStore(save) } })
    const answer = await browser.follow(app.loginURL)
    expect([answer.status, answer.headers['retry-after']]).toStrictEqual([503, '5'])
    expect(app.errors.map(codeOf)).toStrictEqual(['session_unavailable'])
    expect(app.errors).toStrictEqual([expect.objectContaining({ message: expect.stringContaining(hint) })])
    expect(String(app.errors)).not.toContain('redis')
  })
})

test('a reason in any language is not sent as a header', async () => {
  const browser = await start({
    verify: (_accessToken, _refreshToken, _profile, done) => done(null, false, 'Доступ закрыт'),
  })
  await browser.follow(app.loginURL)
  const answer = await browser.comeBack(app.approvedCallback())
  expect([answer.status, answer.headers['www-authenticate']]).toStrictEqual([401, undefined])
  expect(app.sessions()).toContain('Доступ закрыт')
})

describe('tabBinding', () => {
  const SECRET = '0123456789abcdef0123456789abcdef'
  const target = ({ body }: BrowserAnswer) => (/action="([^"]+)"/.exec(body)?.[1] ?? '').replaceAll('&amp;', '&')

  /** Does what the pages' scripts do in one tab. */
  async function begin(browser: Browser): Promise<BrowserAnswer> {
    const page = await browser.follow(app.loginURL)
    return browser.follow(`${new URL(target(page), app.loginURL)}?social_login_tab=${SECRET}`)
  }
  const finish = (browser: Browser, page: BrowserAnswer, secret = SECRET) =>
    browser.follow(`${new URL(target(page), app.callbackURL)}&social_login_tab=${secret}`, { method: 'POST' })

  test('completes a login in the tab of the start', async () => {
    const browser = await start({ strategy: { tabBinding: true } })
    await begin(browser)
    const page = await browser.comeBack(app.approvedCallback())
    expect(page.headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(logins.provider.requests).toHaveLength(0)
    const answer = JSON.parse((await finish(browser, page)).body)
    expect(answer.user).toEqual({ id: '1' })
    expect(answer.info.assurance).toMatchObject({ tabBound: true })
  })

  test('keeps no secret of the tab where others could read it: not in the record, nor as the path of the start', async () => {
    const browser = await start({ strategy: { tabBinding: true } })
    await begin(browser)
    expect(app.sessions()).toContain('tab')
    expect(app.sessions()).not.toContain(SECRET)
    await finish(browser, await browser.comeBack(app.approvedCallback()), '')
    expect(failureIn(app.sessions())).toBe('tab_mismatch')
    expect(app.sessions()).not.toContain(SECRET)
  })

  test('the key is sent to the address of the page, which a proxy may have rewritten', async () => {
    const rewritten = { callbackURL: '/callback' }
    const strategy = { tabBinding: true, callbackURL: 'https://app.example/public/back' }
    const browser = await start({ strategy, start: rewritten, callback: rewritten })
    await begin(browser)
    const page = target(await browser.comeBack(app.approvedCallback()))
    expect(new URL(page, 'https://app.example/public/back').pathname).toBe('/public/back')
  })

  test('a callback in another tab is refused, and the genuine one still works', async () => {
    const browser = await start({ strategy: { tabBinding: true } })
    await begin(browser)
    const other = await browser.comeBack(app.approvedCallback('2'))
    expect((await finish(browser, other, '')).status).toBe(403)
    expect(failureIn(app.sessions())).toBe('tab_mismatch')
    const genuine = await browser.comeBack(app.approvedCallback('1'))
    expect(JSON.parse((await finish(browser, genuine)).body).user).toEqual({ id: '1' })
  })
})
