import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import express from 'express'
import { SocialLoginError } from '../../../lib'
import { explainBareFailure, guardLogIn, writeResponse } from '../../../lib/passport/overrides'
import { keepSessions } from '../../support/app'
import { HookedStore } from '../../support/hooked-store'
import { listen } from '../../support/listen'

// The two methods that are replaced on one request or response, and what of the application's must not notice.

describe('logIn, with a returnTo', () => {
  const options = { successReturnToOrRedirect: '/home' }

  interface Case {
    readonly error?: Error
    readonly route?: object
    readonly session?: object | null
  }

  /** A request with this session and logIn, which is guarded. */
  function guarded<T extends object>(members: T, route: object = options, fail = (_error: unknown): void => {}) {
    const req = Object.assign(new IncomingMessage(new Socket()), members)
    Reflect.apply(guardLogIn, undefined, [req, route, { returnTo: '/inbox' }, fail])
    return req
  }

  /** A request whose logIn calls back with the error. */
  function logInWith(given: object, { error, route, session = {} }: Case = {}): unknown {
    const logIn = (_user: unknown, _options: unknown, done: (error?: Error) => void) => done(error)
    const req = guarded({ session, logIn }, route)
    let told: unknown = 'nothing'
    Reflect.apply(req.logIn, req, [{ id: 1 }, given, (failure?: Error) => (told = failure)])
    expect(told).toBe(error)
    return session && Reflect.get(session, 'returnTo')
  }

  test('stores it when Passport has signed in, for its redirect', () => {
    expect(logInWith(options)).toBe('/inbox')
  })

  test('stores nothing for a call of the application, nor where signing in has failed', () => {
    expect(logInWith({ ...options })).toBeUndefined()
    expect(logInWith(options, { error: new Error('cannot serialize') })).toBeUndefined()
  })

  test('stores nothing where the route has an address of its own, and goes on without a session', () => {
    const route = { successRedirect: '/home' }
    expect(logInWith(route, { route })).toBeUndefined()
    expect(logInWith(options, { session: null })).toBeNull()
  })

  test('stores it when a logIn that returns a promise has signed in, and passes on why it has not', async () => {
    const answers = [Promise.resolve(), Promise.reject(new Error('cannot serialize'))]
    const requests = answers.map((answer) => guarded({ session: {}, logIn: (..._given: unknown[]) => answer }))
    const [signedIn, failed] = await Promise.allSettled(requests.map((req) => req.logIn({ id: 1 }, options)))
    expect([signedIn?.status, failed]).toStrictEqual([
      'fulfilled',
      { status: 'rejected', reason: new Error('cannot serialize') },
    ])
    expect(requests.map(({ session }) => session)).toStrictEqual([{ returnTo: '/inbox' }, {}])
  })

  test('hands on what is thrown where Passport is called back', () => {
    const heard: unknown[] = []
    const thrown = new Error('own')
    const logIn = (_user: unknown, _options: unknown, done: () => void) => done()
    const req = guarded({ session: {}, logIn }, options, (error) => heard.push(error))
    req.logIn({ id: 1 }, options, () => {
      throw thrown
    })
    expect(heard).toStrictEqual([thrown])
  })

  test('gives no logIn to the request of an adapter that has none', () => {
    expect('logIn' in guarded({ session: {} })).toBe(false)
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
    expect([String(ends), isRestored]).toStrictEqual([expect.stringContaining('auth_key_rejected'), true])
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
    expect([[bare, 'own'].includes(String(ends)), isRestored]).toStrictEqual([true, true])
  })

  test('stays what other middleware makes of it meanwhile', () => {
    const own = (): void => {}
    let answering: ServerResponse | undefined
    const { ends } = written((res) => {
      answering = Object.assign(res, { end: own })
    })
    expect([answering?.end, ends]).toStrictEqual([own, []])
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

// A response without its length would be sent whole before the session is saved, and a page could send its form already.
test('a page ends when the session is saved, with its status, its length and its headers', async () => {
  const store = new HookedStore()
  let save = (): void => {}
  let isSaved = false
  store.before = async (operation) => {
    if (operation !== 'set') return
    await new Promise<void>((resolve) => (save = resolve))
    isSaved = true
  }
  const page = { status: 403, headers: { 'Cache-Control': 'no-store' }, body: '<p>Bitte später</p>' }
  const app = express().use(keepSessions(store), (req, res) => {
    Object.assign(req.session, { cart: 'full' })
    writeResponse(page, res)
  })
  await using server = await listen(app)
  const response = await fetch(server.origin)
  expect([response.status, response.headers.get('cache-control')]).toStrictEqual([403, 'no-store'])
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(page.body)))
  const before = isSaved
  save()
  expect([before, await response.text(), isSaved]).toStrictEqual([false, page.body, true])
})
