import { OUTCOMES, SocialLoginError } from '../../../../lib'
import { withAddress } from '../../../../lib/errors'
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

const unavailable = (hint: string): unknown =>
  expect.objectContaining({
    ...{ code: 'session_unavailable', phase: 'start', retryAfter: 5 },
    message: withAddress(`${OUTCOMES.session_unavailable.message} ${hint}`, 'session_unavailable'),
  })

const REPORTED = 'The store reported an error.'
const LATE = 'The store did not answer within the timeout option.'

test.each([
  ['an error', new Error('redis://user:password@host'), REPORTED],
  ['an abort of its own', new DOMException('away', 'AbortError'), REPORTED],
  ['nothing', undefined, REPORTED],
  ['an error of a like name', { name: 'TimeoutError' }, REPORTED],
  ['a timeout', new DOMException('away', 'TimeoutError'), LATE],
])('a store that rejects with %s is unavailable, and the error says no more than that', async (_what, reason, says) => {
  const app = await logins.startApp({ strategy: { store: new FailingStore(reason) } })
  await new Browser().follow(app.loginURL)
  expect(app.errors).toStrictEqual([unavailable(says)])
})

test('an error of ours that a store rejects with is passed on', async () => {
  const own = new SocialLoginError('overloaded', 'start')
  const app = await logins.startApp({ strategy: { store: new FailingStore(own) } })
  await new Browser().follow(app.loginURL)
  expect(app.errors[0]).toBe(own)
})

test('an application without sessions is told that the request has none', async () => {
  const app = await logins.startApp({ session: false })
  await new Browser().follow(app.loginURL)
  expect(app.errors).toStrictEqual([unavailable('The request has no session.')])
})
