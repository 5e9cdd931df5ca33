import { closeBrowsers } from '../../support/browser'
import { freezeBetweenStartAndCallback } from '../../support/example/frozen-example'

afterAll(closeBrowsers)

test('a process that was frozen for 70 seconds between start and callback finishes the logins', async () => {
  expect(await freezeBetweenStartAndCallback(70)).toEqual({ after: 'Ada Lovelace', during: 'Alan Turing', requests: 4 })
}, 120_000)
