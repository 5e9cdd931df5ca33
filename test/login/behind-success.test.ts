import type { RequestHandler } from 'express'
import { Browser } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { useLogins } from '../support/logins'

// A session store calls back later: what is thrown there is nobody's, and ends a process that does not catch it.

const logins = useLogins()

/** A store that needs several turns of the event loop for each operation. */
function slowStore(): HookedStore {
  const store = new HookedStore()
  store.before = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return store
}

const failing: RequestHandler = (_req, res, next) => {
  res.redirect = () => {
    throw new Error('redirect failed')
  }
  next()
}

test('what is thrown behind a success, once a store has saved the session, goes to the error handler', async () => {
  const callback = { successRedirect: '/me' }
  const app = await logins.startApp({
    store: slowStore(),
    callback,
    before: (server) => void server.use('/callback', failing),
  })
  const answer = await app.logIn(new Browser())
  expect(answer.status).toBe(500)
  expect(app.errors).toStrictEqual([new Error('redirect failed')])
})
