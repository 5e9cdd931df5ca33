import { Browser } from '../../support/browser'
import { captureOutput } from '../../support/canaries'
import { useLogins } from '../../support/logins'

const logins = useLogins()

// In a file of its own: a process in which one start came with such a header does not warn.
test('three starts without any header that shows where they come from are a warning', async () => {
  const app = await logins.startApp()
  const start = async (): Promise<string> => (await captureOutput(() => new Browser().request(app.loginURL))).output
  expect(await start()).toBe('')
  expect(await start()).toBe('')
  expect(await start()).toContain('START_HEADERS_MISSING')
})
