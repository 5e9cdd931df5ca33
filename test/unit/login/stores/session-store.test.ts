import { createPendingLogin } from '../../../../lib/login/pending-login'
import { SessionStore } from '../../../../lib/login/stores/session-store'
import { incoming } from '../../../support/incoming'

const store = new SessionStore()
const record = createPendingLogin({ strategyDigest: 'context', user: undefined, startSite: undefined })

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
