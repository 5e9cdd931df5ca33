import { remainderOf } from '../../../../../lib/login/pending-login/consumed'
import { SessionStore } from '../../../../../lib/login/pending-login/stores/session-store'
import { captureOutput } from '../../../../support/canaries'
import { incoming } from '../../../../support/incoming'
import { newPendingLogin } from '../../../../support/pending-login'

const store = new SessionStore()
const record = newPendingLogin()

test('a session without save, such as cookie-session, is part of the response', async () => {
  const session = {}
  await store.save(incoming('/', {}, { session }), record)
  expect(await store.load(incoming('/', {}, { session }))).toEqual(record)
})

test('a record is stored in the session under one name, besides the application’s data', async () => {
  const session: Record<string, unknown> = { cart: 'full' }
  await store.save(incoming('/', {}, { session }), record)
  expect(session).toEqual({ cart: 'full', 'passport-social-login': record })
})

test('a consumed record stays in the session, marked', async () => {
  const request = incoming('/', {}, { session: { cart: 'full' } })
  await store.save(request, record)
  await store.consume(request, record)
  expect(await store.load(request)).toEqual({ ...record, consumed: true })
  expect(record).not.toHaveProperty('consumed')
})

test.each<[string, (callback: (error?: unknown) => void) => unknown]>([
  ['calls back', (callback) => setImmediate(callback)],
  ['calls back and returns the session', (callback) => void callback()],
  ['returns a promise', async () => {}],
])('a save that %s is awaited', async (_title, save) => {
  await expect(store.save(incoming('/', {}, { session: { save } }), record)).resolves.toBeUndefined()
})

test.each<[string, (callback: (error?: unknown) => void) => unknown]>([
  ['calls back with an error', (callback) => callback(new Error('down'))],
  ['rejects', () => Promise.reject(new Error('down'))],
  [
    'throws',
    () => {
      throw new Error('down')
    },
  ],
])('a save that %s is a failure', async (_title, save) => {
  await expect(store.save(incoming('/', {}, { session: { save } }), record)).rejects.toThrow('down')
})

test('a request without a session is a failure', () => {
  for (const more of [{}, { session: null }, { session: 'x' }]) {
    expect(() => store.load(incoming('/', {}, more))).toThrow(/^no session$/)
    expect(() => store.save(incoming('/', {}, more), record)).toThrow(/^no session$/)
  }
})

test.each([{}, null, 'text', 7, [], { id: 7 }])(
  'what the session has under that name is no record if it is %j',
  async (value) => {
    expect(await store.load(incoming('/', {}, { session: { 'passport-social-login': value } }))).toBeUndefined()
  },
)

describe('when Passport renews the session at the end of a login', () => {
  const used = newPendingLogin({ returnTo: '/inbox', state: 'cart-7' })
  const left = remainderOf(used)

  /** A request with a session that is renewed in the way of a framework. */
  function request(renew: (replace: () => void, callback?: unknown) => unknown, renewed: object | null = {}) {
    const methods = {
      regenerate(...args: unknown[]): unknown {
        expect(this).toBe(session)
        return renew(() => Reflect.set(message, 'session', renewed), ...args)
      },
    }
    const session: Record<string, unknown> = Object.create(methods)
    const message = incoming('/', {}, { session })
    return { message, session, renewed }
  }

  const renewBy = ({ regenerate }: Record<string, unknown>, callback: unknown): unknown =>
    typeof regenerate === 'function' ? regenerate(callback) : undefined

  test.each<[string, (replace: () => void, callback?: unknown) => unknown]>([
    [
      'calls back',
      (replace, callback) => {
        replace()
        if (typeof callback === 'function') callback()
      },
    ],
    ['returns a promise', async (replace) => replace()],
  ])('and it %s, the new one has what tells a reload from another login before it is saved', async (_title, renew) => {
    const { message, session, renewed } = request(renew)
    await store.consume(message, used)
    const seen = await new Promise((resolve) => {
      const saved = () => resolve(structuredClone(renewed))
      const renewing = renewBy(session, saved)
      if (renewing instanceof Promise) renewing.then(saved)
    })
    expect(seen).toEqual({ 'passport-social-login': left })
    expect(left).not.toMatchObject({ returnTo: '/inbox' })
  })

  test('the error of a session that is gone is passed on', async () => {
    const error = new Error('down')
    const { message, session } = request((replace, callback) => {
      replace()
      if (typeof callback === 'function') callback(error)
    }, null)
    await store.consume(message, used)
    const told = jest.fn()
    renewBy(session, told)
    expect(told.mock.calls).toEqual([[error]])
  })

  test('the session itself has no member more that could be stored, and may be given a method of its own', async () => {
    const { message, session } = request((replace) => replace())
    await store.consume(message, used)
    expect(Object.keys(session)).toEqual(['passport-social-login'])
    const own = (): void => {}
    Object.assign(session, { regenerate: own })
    expect(session['regenerate']).toBe(own)
  })

  test('a session that cannot be renewed is not made one that can', async () => {
    const session = {}
    await store.consume(incoming('/', {}, { session }), used)
    expect('regenerate' in session).toBe(false)
  })
})

test.each([undefined, null, 7, {}, { headers: 'none' }])(
  '%j is no request, and the error says what must be given',
  (wrong) => {
    expect(() => Reflect.apply(store.load, store, [wrong])).toThrow(
      /^SessionStore: req must be a request of Node, with headers/,
    )
  },
)

test.each([undefined, null, {}, { id: 7 }])('%j is no record, and the error says what must be given', (wrong) => {
  const request = incoming('/', {}, { session: {} })
  expect(() => Reflect.apply(store.save, store, [request, wrong])).toThrow(
    /^SessionStore: record must be a PendingLogin/,
  )
})

test('where the middleware gives no id of the session, the cookies are not searched for one', () => {
  for (const sessionID of [undefined, '']) {
    const request = incoming('/', { cookie: 'theme=undefined' }, { session: {}, sessionID })
    expect(store.explain(request)).toMatch(/^The browser sent cookies, but none of a session/)
  }
  const known = incoming('/', { cookie: 'sid=abc' }, { session: {}, sessionID: 'abc' })
  expect(store.explain(known)).toMatch(/^The session came, but there is no login in it/)
  for (const cookie of ['sid=s:abc.def', 'sid=s%3Aabc.def']) {
    const unknown = incoming('/', { cookie }, { session: {}, sessionID: 'new' })
    expect(store.explain(unknown)).toMatch(/^A session cookie came, but its session is not known here/)
  }
})

test('a start whose session cookie is Strict is a warning', async () => {
  const { output } = await captureOutput(async () => {
    await store.save(incoming('/', {}, { session: { cookie: { sameSite: 'strict' } } }), record)
    // Node tells of a warning in the next turn.
    await new Promise((resolve) => setImmediate(resolve))
  })
  expect(output).toContain('SESSION_COOKIE_STRICT')
})
