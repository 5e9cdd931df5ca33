import { closeBrowsers } from '../../support/browser'
import { freezeBetweenStartAndCallback } from '../../support/example/frozen-example'

afterAll(closeBrowsers)

test('a process that was frozen for longer than the provider keeps connections finishes the logins', async () => {
  // The fake provider is a server of Node, which closes idle connections after five seconds.
  expect(await freezeBetweenStartAndCallback(6.5)).toEqual({
    after: 'Ada Lovelace',
    during: 'Alan Turing',
    requests: 4,
  })
}, 30_000)
