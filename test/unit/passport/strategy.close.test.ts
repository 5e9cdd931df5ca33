import { FakeProvider } from '../../../lib/testing'
import { type RunningApp, startApp } from '../../support/app'
import { Browser, closeBrowsers } from '../../support/browser'

let provider: FakeProvider
let app: RunningApp

beforeEach(async () => {
  provider = await FakeProvider.start()
  app = await startApp({ provider })
})
afterEach(async () => {
  await app.stop()
  await provider.stop()
})
afterAll(closeBrowsers)

const approved = (): string =>
  `${app.callbackURL}?auth_key=${provider.issueAuthKey({ appID: app.application.appID, userID: '1' })}`

async function started(): Promise<Browser> {
  const browser = new Browser()
  await browser.follow(app.loginURL)
  return browser
}

test('close lets a login under way end, its profile included, and resolves then', async () => {
  const [browser, other] = [await started(), await started()]
  provider.failNext('authorize', { delay: 200, rewrite: (body) => body })
  const login = browser.comeBack(approved())
  while (provider.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  let isClosed = false
  const closing = app.strategy.close().then(() => {
    isClosed = true
  })
  const again = app.strategy.close()
  const late = await other.comeBack(approved())
  expect([late.status, late.headers['retry-after'], isClosed]).toEqual([503, '1', false])
  expect((await login).status).toBe(200)
  await closing
  await again
})
