import type { AppOptions } from '../../support/app'
import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { inParallel } from '../../support/parallel'
import { isSoak } from '../../support/runs'

const LOGINS = isSoak ? 5000 : 2000
const AT_ONCE = 100
// Per request to the provider; realistic with `SOAK=1`.
const MAX_DELAY_MS = isSoak ? 200 : 20

const logins = useLogins('each test', { users: Array.from({ length: LOGINS }, () => ({})) })

// A strategy that stores request state on `this` would send one user's login to another browser here: see shared-strategy.test.ts.
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
