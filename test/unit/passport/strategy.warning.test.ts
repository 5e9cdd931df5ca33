import { keepSessions } from '../../support/app'
import { Browser } from '../../support/browser'
import { captureOutput } from '../../support/canaries'
import { HookedStore } from '../../support/hooked-store'
import { useLogins } from '../../support/logins'

const logins = useLogins()

test('an application without passport.session() is told so, once, when a signed-in user comes back', async () => {
  const app = await logins.startApp({
    session: false,
    before: (server) => void server.use(keepSessions(new HookedStore())),
  })
  const browser = new Browser()
  const first = await captureOutput(() => app.logIn(browser))
  expect([first.result.status, first.output]).toStrictEqual([200, ''])
  const { output } = await captureOutput(async () => {
    await browser.follow(app.loginURL)
    await browser.follow(app.loginURL)
  })
  expect(output.match(/\[PASSPORT_SESSION_MISSING\]/g)).toHaveLength(1)
})
