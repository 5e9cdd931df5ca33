import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()

test('no cache keeps the redirect of a start, what the application answers to a login, or the page of an error', async () => {
  const app = await logins.startApp()
  const browser = new Browser()
  const started = await browser.follow(app.loginURL)
  const signedIn = await browser.comeBack(app.approvedCallback())
  const refused = await browser.comeBack(app.approvedCallback())
  expect([started.status, signedIn.status, refused.status]).toStrictEqual([302, 200, 403])
  const told = [started, signedIn, refused].map(({ headers }) => [headers['cache-control'], headers['referrer-policy']])
  // By the policy of a redirect Firefox forgets which page began the login.
  expect(told).toStrictEqual([
    ['no-store', undefined],
    ['no-store', 'no-referrer'],
    ['no-store', 'no-referrer'],
  ])
})

test('a session that Passport cannot renew starts no login', async () => {
  const app = await logins.startApp({
    before: (application) =>
      application.use((req, _res, next) => {
        Object.assign(req.session, { regenerate: undefined })
        next()
      }),
  })
  expect((await new Browser().follow(app.loginURL)).status).toBe(500)
  expect(app.errors).toStrictEqual([expect.objectContaining({ code: 'session_unsupported' })])
})
