import type { AuthenticateOptions } from '../../lib'
import { failureIn, type RunningApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'

// Where the callback leads a signed-in user, after the login and without one.

const logins = useLogins()

const AUTHORIZE = { assignProperty: 'account', failureMessage: true }
const FAILED = [403, '', 'login_not_started']
const LED = [302, '/me', undefined]

async function start(callback: AuthenticateOptions): Promise<{ app: RunningApp; browser: Browser }> {
  const app = await logins.startApp({ callback })
  const browser = new Browser()
  await browser.follow(`${app.origin}/become`)
  return { app, browser }
}

const outcome = ({ status, location }: BrowserAnswer, app: RunningApp): unknown[] => {
  return [status, location, failureIn(app.sessions())]
}

test.each<[string, AuthenticateOptions, unknown[]]>([
  ['fails, where req.account would be missing', AUTHORIZE, FAILED],
  ['fails, where the destination is empty', { ...AUTHORIZE, successRedirect: '' }, FAILED],
  ['leads to the destination', { ...AUTHORIZE, successRedirect: '/me' }, LED],
])('a repeated callback of passport.authorize %s', async (_title, callback, expected) => {
  const { app, browser } = await start(callback)
  await browser.follow(app.loginURL)
  const address = app.approvedCallback()
  expect((await browser.comeBack(address)).status).toBeLessThan(400)
  expect(outcome(await browser.comeBack(address), app)).toEqual(expected)
  expect(logins.exchanges()).toBe(1)
})

test.each<[string, AuthenticateOptions, unknown[]]>([
  ['fails', { failureMessage: true }, FAILED],
  ['fails, where the destination is empty', { failureMessage: true, successReturnToOrRedirect: '' }, FAILED],
  ['leads to the destination', { successReturnToOrRedirect: '/me' }, LED],
])('a callback of a signed-in user that belongs to no login %s', async (_title, callback, expected) => {
  const { app, browser } = await start(callback)
  expect(outcome(await browser.comeBack(app.approvedCallback()), app)).toEqual(expected)
  expect(logins.exchanges()).toBe(0)
})
