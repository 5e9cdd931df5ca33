import { SessionStore } from '../../../../../lib/login/pending-login/stores/session-store'
import { incoming } from '../../../../support/incoming'
import { failureOf } from '../../../../support/options'
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

test('a request needs headers, and a record its members', () => {
  const failure = (...given: unknown[]): string => failureOf(() => Reflect.apply(store.save, store, given)).message
  expect(failure({ headers: 'none' }, record)).toMatch(
    /^SessionStore: req must be a request of Node, with headers, not/,
  )
  expect(failure(incoming('/', {}, { session: {} }), { id: 7 })).toMatch(
    /^SessionStore: record must be a PendingLogin, /,
  )
})

const OWN = /^The session came, but there is no login in it: .*\.$/
const UNKNOWN = /^A session cookie came, but its session is not known here: .*\.$/
const OTHERS = /^The browser sent cookies, but none of a session that has a login in it\.$/

test.each<[string, unknown, RegExp]>([
  ['sid=abc', 'abc', OWN],
  ['sid=s:abc.def', 'abc', OWN],
  ['sid=s:abc.def', 'new', UNKNOWN],
  ['sid=s%3Aabc.def', 'new', UNKNOWN],
  ['sid=s%3aabc.def', 'new', UNKNOWN],
  ['theme=s', 'new', OTHERS],
  ['theme=undefined', undefined, OTHERS],
  ['theme=undefined', '', OTHERS],
  ['theme=7', 7, OTHERS],
])('the cookies %j in the session %j are explained', (cookie, sessionID, expected) => {
  expect(store.explain(incoming('/', { cookie }, { session: {}, sessionID }))).toMatch(expected)
})

test.each([
  ['localhost:3000', true],
  ['app.localhost', true],
  ['127.0.0.1', true],
  ['[::1]:3000', true],
  ['app.example', false],
  ['localhost.example', false],
  ['a b', false],
  ['', false],
])('where no cookie came, a request to the host %j is told of the two names of this machine: %s', (host, isTold) => {
  const explained = store.explain(incoming('/', { host, cookie: '' }))
  const bare = incoming('/')
  Reflect.deleteProperty(bare.headers, 'host')
  expect(store.explain(bare)).toMatch(/^The browser sent no cookie at all: .* \(its maxAge is in milliseconds\)\.$/)
  expect(explained).toBe(
    store.explain(bare) +
      (isTold
        ? ' Start and return on one host: cookies of localhost are not sent to 127.0.0.1, nor those of 127.0.0.1 to localhost.'
        : ''),
  )
})
