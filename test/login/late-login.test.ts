import { codeOf } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

const logins = useLogins()

test('a login that ends after the response was sent, by a time limit of the application, signs nobody in', async () => {
  const app = await logins.startApp({
    before: (routes) => {
      routes.use('/callback', (_req, res, next) => {
        setTimeout(() => res.status(503).send('too slow'), 50)
        next()
      })
    },
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const regenerated = jest.spyOn(app.store, 'regenerate')
  logins.provider.failNext('user/me', { delay: 200 })
  expect((await browser.comeBack(app.approvedCallback())).body).toBe('too slow')
  await until(() => app.errors.length > 0)
  expect(String(app.errors[0])).toContain('A login ended after the response had been sent')
  expect(regenerated).not.toHaveBeenCalled()
  expect(await app.userOf(browser)).toBeNull()
})

test('what verify says of a login does not replace what is known of it', async () => {
  const forged = { returnTo: 'https://evil.example/', state: 'forged', assurance: { forged: true }, message: 'welcome' }
  const app = await logins.startApp({
    start: { returnTo: '/inbox', state: { cart: 7 } },
    verify: (_accessToken, _refreshToken, { id }, done) => done(null, { id }, forged),
  })
  const answer: BrowserAnswer = await app.logIn()
  const { info } = JSON.parse(answer.body)
  expect(info).toMatchObject({ returnTo: '/inbox', state: { cart: 7 }, message: 'welcome' })
  expect(info.assurance).not.toHaveProperty('forged')
})

test('a failure after the response was sent goes to the error handler, and sends nothing', async () => {
  const app = await logins.startApp({
    before: (routes) => {
      routes.use('/callback', (_req, res, next) => {
        setTimeout(() => res.status(503).send('too slow'), 50)
        next()
      })
    },
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  logins.provider.failNext('authorize', { delay: 200 })
  const answer = await browser.comeBack(`${app.callbackURL}?auth_key=nobody-has-it`)
  expect([answer.status, answer.body]).toStrictEqual([503, 'too slow'])
  await until(() => app.errors.length > 0)
  expect(app.errors.map(codeOf)).toStrictEqual(['auth_key_rejected'])
})
