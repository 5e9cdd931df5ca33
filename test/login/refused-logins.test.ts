import type { AppOptions, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'

// A refused key is shown to its user, who can do nothing about a wrong secret: the operator must hear of it once.

const logins = useLogins()
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})

beforeEach(() => emitWarning.mockClear())
afterAll(() => emitWarning.mockRestore())

const wrongSecret = { clientSecret: 'wrong-secret-canary-9d20' }

/** So many browsers start a login and come back with a key of their own. @returns the statuses of their callbacks */
async function visit(app: RunningApp, browsers: number, keyOf = (_n: number) => app.newKey()): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let n = 0; n < browsers; n += 1) {
    const browser = new Browser()
    await browser.follow(app.loginURL)
    statuses.add((await browser.comeBack(`${app.callbackURL}?auth_key=${keyOf(n)}`)).status)
  }
  return statuses
}

const invented = (n: number): string => `invented-${n}`

describe.each(['session', 'cookie'] as const)('with the pending login in the %s', (keep) => {
  const start = (options: AppOptions = {}): Promise<RunningApp> => logins.startApp({ ...options, keep })

  test('the twentieth refused browser is a warning that names the options, and no further one is', async () => {
    const app = await start({ strategy: wrongSecret })
    expect(await visit(app, 19)).toEqual(new Set([401]))
    expect(emitWarning).not.toHaveBeenCalled()
    expect(await visit(app, 30)).toEqual(new Set([401]))
    const options = { type: 'SocialLoginWarning', code: 'ALL_LOGINS_REFUSED' }
    expect(emitWarning.mock.calls).toEqual([[expect.any(String), options]])
    const [[warning] = []] = emitWarning.mock.calls
    for (const word of ['"social-login"', 'clientID', 'clientSecret', 'npx passport-social-login doctor'])
      expect(warning).toContain(word)
    expect(findSecrets([wrongSecret.clientSecret, app.application.appID], { warning })).toEqual([])
  })

  test('a server that exchanges by GET only, and says that the app_id is wrong, is noticed', async () => {
    logins.provider.setMode({ getOnly: true, postAnswer: 'invalid-app-id' })
    expect(await visit(await start(), 20)).toEqual(new Set([401]))
    expect(emitWarning).toHaveBeenCalledTimes(1)
  })

  test('one login that succeeds, first or after others, ends the watch for good', async () => {
    for (const refusedBefore of [0, 19]) {
      const app = await start()
      await visit(app, refusedBefore, invented)
      expect(await visit(app, 1)).toEqual(new Set([200]))
      await visit(app, 25, invented)
    }
    expect(emitWarning).not.toHaveBeenCalled()
  })

  test('an exchanged key shows that the options are right, whatever becomes of its login', async () => {
    const app = await start({ verify: () => false })
    logins.provider.failNext('user/me', { status: 401 })
    await visit(app, 1)
    await visit(app, 25, invented)
    expect(emitWarning).not.toHaveBeenCalled()
  })

  test('callbacks that are refused before the exchange are not counted', async () => {
    const app = await start({ strategy: wrongSecret })
    await visit(app, 19)
    for (let n = 0; n < 30; n += 1) {
      const browser = new Browser()
      await browser.comeBack(app.approvedCallback())
      await browser.follow(app.loginURL)
      await browser.comeBack(app.approvedCallback(), { headers: { referer: 'https://evil.example/' } })
    }
    expect([logins.exchanges(), emitWarning.mock.calls]).toEqual([19, []])
    await visit(app, 1)
    expect(emitWarning).toHaveBeenCalledTimes(1)
  })

  test('a browser that repeats its callback counts once', async () => {
    const app = await start({ strategy: wrongSecret })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const callback = app.approvedCallback()
    for (let round = 0; round < 10; round += 1)
      await Promise.all([browser.comeBack(callback), browser.comeBack(callback), browser.comeBack(callback)])
    await visit(app, 18)
    expect([logins.exchanges(), emitWarning.mock.calls]).toEqual([19, []])
  })

  test('a provider that is down, limits or sends pages is not taken for one that refuses', async () => {
    const app = await start({ strategy: wrongSecret })
    const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' }
    for (const fault of [{ status: 503 }, { status: 429 }, page, { body: '' }, { reset: 'headers' } as const]) {
      logins.provider.failNext('authorize', fault, { times: 8 })
      await visit(app, 8)
    }
    expect(emitWarning).not.toHaveBeenCalled()
  })
})

test('each strategy watches for itself, and names itself', async () => {
  const working = await logins.startApp()
  const broken = await logins.startApp({ strategy: { ...wrongSecret, name: 'second' } })
  await visit(working, 1)
  await visit(broken, 20)
  expect(emitWarning.mock.calls).toEqual([[expect.stringContaining('"second"'), expect.anything()]])
})
