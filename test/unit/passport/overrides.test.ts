import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import { SocialLoginError } from '../../../lib'
import { explainBareFailure, guardLogIn } from '../../../lib/passport/overrides'

// The two methods that are replaced on one request or response, and what of the application's must not notice.

describe('logIn, with a returnTo', () => {
  const options = { successReturnToOrRedirect: '/home' }

  /** A request whose logIn calls back with the error. */
  function logInWith(given: object, error?: Error): unknown {
    const session = {}
    const logIn = (_user: unknown, _options: unknown, done: (error?: Error) => void) => done(error)
    const req = Object.assign(new IncomingMessage(new Socket()), { session, logIn })
    Reflect.apply(guardLogIn, undefined, [req, options, { returnTo: '/inbox' }, () => {}])
    let told: unknown = 'nothing'
    Reflect.apply(req.logIn, req, [{ id: 1 }, given, (failure?: Error) => (told = failure)])
    expect(told).toBe(error)
    return Reflect.get(session, 'returnTo')
  }

  test('stores it when Passport has signed in, for its redirect', () => {
    expect(logInWith(options)).toBe('/inbox')
  })

  test('stores nothing for a call of the application, nor where signing in has failed', () => {
    expect(logInWith({ ...options })).toBeUndefined()
    expect(logInWith(options, new Error('cannot serialize'))).toBeUndefined()
  })
})

describe('end, while a failure is told', () => {
  const error = new SocialLoginError('auth_key_rejected', 'exchange')
  const bare = STATUS_CODES[error.status] ?? ''

  /** What is written where nobody handles the failure but by this. */
  function written(fail: (res: ServerResponse) => void): { ends: unknown[]; isRestored: boolean } {
    const req = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/callback' })
    const res = new ServerResponse(req)
    const ends: unknown[] = []
    let isOwnWhenCalled = true
    const end = (...args: unknown[]): ServerResponse => {
      ends.push(args[0])
      // Middleware that has replaced `end` may compare it, or replace it again, while it is called.
      isOwnWhenCalled = Object.is(Reflect.get(res, 'end'), end)
      return res
    }
    Object.assign(res, { end })
    Object.assign(req, { res })
    Reflect.apply(explainBareFailure, undefined, [error, req, () => fail(res)])
    return { ends, isRestored: isOwnWhenCalled && Object.is(Reflect.get(res, 'end'), end) }
  }

  test('explains the bare status of Passport, and is as it was afterwards', () => {
    const { ends, isRestored } = written((res) => {
      res.statusCode = error.status
      res.end(bare)
    })
    expect([String(ends), isRestored]).toEqual([expect.stringContaining('auth_key_rejected'), true])
  })

  test.each<[string, (res: ServerResponse) => void]>([
    ['another text', (res) => void Object.assign(res, { statusCode: error.status }).end('own')],
    ['another status', (res) => void Object.assign(res, { statusCode: 200 }).end(bare)],
    ['an encoding', (res) => void Object.assign(res, { statusCode: error.status }).end(bare, 'utf8')],
    [
      'a response that has begun',
      (res) => {
        Object.defineProperty(res, 'headersSent', { value: true })
        Object.assign(res, { statusCode: error.status }).end(bare)
      },
    ],
  ])('leaves what the application answers: %s', (_title, fail) => {
    const { ends, isRestored } = written(fail)
    expect([[bare, 'own'].includes(String(ends)), isRestored]).toEqual([true, true])
  })

  test('is as it was where the application answers later, or throws', () => {
    expect(written(() => {}).isRestored).toBe(true)
    let throwing: ServerResponse | undefined
    const fail = (res: ServerResponse): void => {
      throwing = res
      throw new Error('own')
    }
    expect(() => written(fail)).toThrow('own')
    expect(String(throwing?.end)).toContain('ends.push')
  })
})
