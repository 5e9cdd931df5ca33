import { createPendingLogin } from '../lib/pending-login/record'
import { SessionStore } from '../lib/pending-login/session-store'
import { incoming } from './support/incoming'

const store = new SessionStore()
const record = createPendingLogin({ context: 'context', user: undefined, startSite: undefined })

test('a session without save, such as cookie-session, travels with the answer', async () => {
  const session = {}
  await store.save(incoming('/', {}, { session }), record)
  expect(await store.load(incoming('/', {}, { session }))).toEqual(record)
})

test.each<[string, (callback: (error?: unknown) => void) => unknown]>([
  ['calls back', (callback) => setImmediate(callback)],
  ['calls back and returns the session', (callback) => void callback()],
  ['returns a promise', async () => {}],
])('a save that %s is waited for', async (_title, save) => {
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

test('a request without a session is a failure', async () => {
  for (const more of [{}, { session: null }, { session: 'x' }]) {
    await expect(store.load(incoming('/', {}, more))).rejects.toThrow()
  }
})
