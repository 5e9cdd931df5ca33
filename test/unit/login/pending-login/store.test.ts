import { SocialLoginError } from '../../../../lib'
import { Browser } from '../../../support/browser'
import { useLogins } from '../../../support/logins'
import { Database, OwnStore } from '../../../support/own-store'

const logins = useLogins('all tests')

class FailingStore extends OwnStore {
  constructor(readonly reason: unknown) {
    super(new Database())
  }

  override save(): Promise<void> {
    return Promise.reject(this.reason)
  }
}

const REPORTED = 'The store reported an error.'

test.each([
  ['an error', new Error('redis://user:password@host'), 'session_unavailable', REPORTED],
  ['an abort of its own', new DOMException('away', 'AbortError'), 'session_unavailable', REPORTED],
  ['nothing', undefined, 'session_unavailable', REPORTED],
  ['an error of a like name', { name: 'TimeoutError' }, 'session_unavailable', REPORTED],
  ['a timeout', new DOMException('away', 'TimeoutError'), 'session_unavailable', 'did not answer within the timeout'],
  ['an error of ours', new SocialLoginError('overloaded', 'start'), 'overloaded', 'Too many logins'],
])('a store that rejects with %s gives the error that says so', async (_what, reason, code, says) => {
  const app = await logins.startApp({ strategy: { store: new FailingStore(reason) } })
  await new Browser().follow(app.loginURL)
  expect(app.errors).toEqual([expect.objectContaining({ code, message: expect.stringContaining(says) })])
})
