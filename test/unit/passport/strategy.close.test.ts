import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()

test('close waits for a pending login, including its profile', async () => {
  const { provider } = logins
  const app = await logins.startApp()
  const [browser, other] = [new Browser(), new Browser()]
  await browser.follow(app.loginURL)
  await other.follow(app.loginURL)
  provider.failNext('authorize', { delay: 200, rewrite: (body) => body })
  const login = browser.comeBack(app.approvedCallback())
  while (provider.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  let isClosed = false
  const closing = app.strategy.close().then(() => {
    isClosed = true
  })
  const again = app.strategy.close()
  const late = await other.comeBack(app.approvedCallback())
  expect([late.status, late.headers['retry-after'], isClosed]).toStrictEqual([503, '1', false])
  expect((await login).status).toBe(200)
  await closing
  await again
})
