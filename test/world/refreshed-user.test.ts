import type { RequestHandler } from 'express'
import type { AppOptions } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()

/** The session's user, of whom an application may store what it likes. */
const change =
  (user: object): RequestHandler =>
  (req, _res, next) => {
    const passport: unknown = Reflect.get(req.session, 'passport')
    if (passport) Object.assign(passport, { user })
    next()
  }

// An application refreshes a token, notes when a user was last seen, or stores an edited name, at any request.
describe.each([
  ['id', { id: '1', token: 'old' }, { id: '1', token: 'new', lastSeen: 7 }],
  ['_id', { _id: 'a1', name: 'Ada' }, { name: 'Augusta', _id: 'a1' }],
  ['sub', { sub: 'ada', roles: [] }, { sub: 'ada', roles: ['admin'] }],
])('a session’s user with %s who changes during a login', (_title, then, now) => {
  const signedIn: AppOptions = {
    verify: (_accessToken, _refreshToken, _profile, done) => done(null, then),
    before: (app) => {
      app.get('/refresh', change(now), (_req, res) => res.json({}))
      app.get('/replace', change({ ...now, id: 'x', _id: 'x', sub: 'x' }), (_req, res) => res.json({}))
    },
  }

  test.each([
    ['finishes it as the same user', '/refresh', 200],
    ['does not, if it is another one', '/replace', 403],
  ])('%s', async (_what, path, status) => {
    const app = await logins.startApp(signedIn)
    const browser = new Browser()
    await app.logIn(browser)
    await browser.follow(app.loginURL)
    await browser.follow(app.origin + path)
    expect((await browser.comeBack(app.approvedCallback())).status).toBe(status)
  })
})
