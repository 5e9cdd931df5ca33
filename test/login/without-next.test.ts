import type { RequestHandler } from 'express'
import { OUTCOMES } from '../../lib'
import { Browser } from '../support/browser'
import { captureOutput } from '../support/canaries'
import { useLogins } from '../support/logins'

const logins = useLogins()

test('authenticate() that is called without next names the error that had nowhere to go, the first time and the tenth', async () => {
  const app = await logins.startApp({
    before: (server, passport) => {
      const authenticate: RequestHandler = passport.authenticate('social-login')
      server.get('/callback', (req, res) => void Reflect.apply(authenticate, undefined, [req, res]))
    },
  })
  const { output } = await captureOutput(async () => {
    for (let login = 0; login < 12; login += 1) {
      const browser = new Browser()
      await browser.follow(app.loginURL)
      logins.provider.failNext('authorize', { status: 503 })
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(500)
    }
  })
  expect(output).toContain(OUTCOMES.provider_unavailable.message)
  expect(output).toContain('next is not a function')
  expect(output.match(/\(\d+ so far\)/g)).toStrictEqual(['(1 so far)', '(10 so far)'])
})
