import express from 'express'
import { Passport, Strategy as PassportStrategy } from 'passport'
import type { AppOptions } from '../../support/app'
import { Browser } from '../../support/browser'
import { listen } from '../../support/listen'
import { useLogins } from '../../support/logins'
import { inParallel } from '../../support/parallel'
import { isSoak } from '../../support/runs'

const LOGINS = isSoak ? 5000 : 2000
const AT_ONCE = 100
// Per request to the provider; realistic with `SOAK=1`.
const MAX_DELAY_MS = isSoak ? 200 : 20

const logins = useLogins('each test', { users: Array.from({ length: LOGINS }, () => ({})) })

// A strategy that stores request state on `this` would send one user's login to another browser here.
describe.each([
  ['one strategy instance given to passport.authenticate', { byInstance: true }],
  ['a strategy given by name', {}],
  ['SocialLogin', { keep: 'web' }],
] satisfies [string, AppOptions][])('%s', (_title, options: AppOptions) => {
  test(`answers ${LOGINS} overlapping logins each to its own browser`, async () => {
    const { provider } = logins
    const app = await logins.startApp(options)
    const mixedUp: string[] = []
    await inParallel(LOGINS, AT_ONCE, async (index) => {
      const userID = provider.users[index]?.user_id ?? ''
      const browser = new Browser()
      provider.failNext('authorize', { delay: Math.random() * MAX_DELAY_MS })
      provider.failNext('user/me', { delay: Math.random() * MAX_DELAY_MS })
      const answer = await app.logIn(browser, userID)
      const me = await browser.follow(`${app.origin}/me`)
      const seen = [answer, me].map(({ body }) => JSON.parse(body).user?.id)
      if (seen.some((id) => id !== userID)) mixedUp.push(`${userID} became ${seen.join(' and ')}`)
    })
    expect(mixedUp).toStrictEqual([])
    expect(app.errors).toStrictEqual([])
    expect(new Set(app.profiles.map(({ id }) => id)).size).toBe(LOGINS)
    expect(logins.exchanges()).toBe(LOGINS)
  }, 120_000)
})

// Strategies are commonly written like this.
class NaiveStrategy extends PassportStrategy {
  override name = 'naive'
  finishFirstLogin: (() => void) | undefined
  override authenticate(): void {
    if (this.finishFirstLogin) this.finishFirstLogin()
    else this.finishFirstLogin = () => this.success({ id: 'the first one' })
  }
}

test('a naive strategy instance gives the first one’s identity to the second one’s browser', async () => {
  const naive = new NaiveStrategy()
  const app = express()
  const arrived = new Promise<void>((resolve) => {
    app.use((_req, _res, next) => {
      next()
      if (naive.finishFirstLogin) resolve()
    })
  })
  app.get('/', new Passport().authenticate(naive, { session: false }), (req, res) => res.json(req.user))
  const { origin, stop } = await listen(app)
  const first = new Browser().request(origin).catch(() => 'never answered')
  await arrived
  const second = await new Browser().request(origin)
  expect(JSON.parse(second.body)).toEqual({ id: 'the first one' })
  await stop()
  expect(await first).toBe('never answered')
})
