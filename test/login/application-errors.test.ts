import { SocialLoginError, type StrategyOptions } from '../../lib'
import { Browser } from '../support/browser'
import { captureOutput } from '../support/canaries'
import { useLogins } from '../support/logins'

const logins = useLogins()

/** An application's error that extends ours, with its own codes. */
class DatabaseError extends SocialLoginError {
  constructor() {
    super('overloaded', 'verify')
    const code: unknown = 'E_DATABASE'
    Object.assign(this, { code })
  }
}

test('an error that extends ours with its own code is the application’s, and does not crash the process', async () => {
  const app = await logins.startApp({ callback: {}, verify: () => Promise.reject(new DatabaseError()) })
  const answer = await app.logIn()
  expect(answer.status).toBe(503)
  expect(app.errors.map((error) => Reflect.get(Object(error), 'code'))).toStrictEqual(['E_DATABASE'])
})

const customCallbacks: { title: string; callback: () => unknown; output?: string }[] = [
  { title: 'throws an error', callback: () => thrown(new Error('broken')), output: 'broken' },
  { title: 'rejects', callback: () => Promise.reject(new Error('broken')) },
  { title: 'throws an object without a prototype', callback: () => thrown(Object.create(null)) },
]

test.each(customCallbacks)(
  'a custom callback that $title is a 500 and no crash, and the first of them a warning',
  async ({ callback, output: expected = '' }) => {
    const app = await logins.startApp({
      before: (server, passport) => server.get('/callback', passport.authenticate('social-login', callback)),
    })
    const { result, output } = await captureOutput(() => app.logIn())
    expect(result.status).toBe(500)
    expect(output).toContain(expected)
  },
)

function thrown(error: unknown): never {
  throw error
}

test.each([200, true, () => 'x'])('a refusal with the info %p is a 401 all the same', async (info) => {
  const app = await logins.startApp({
    callback: {},
    verify: (_token, _refresh, _profile, done) => Reflect.apply(done, undefined, [null, false, info]),
  })
  const answer = await app.logIn()
  expect(answer.status).toBe(401)
})

test.each<[string, () => unknown]>([
  ['a promise', async () => '<p>'],
  ['a promise that is rejected', () => Promise.reject(new Error('no template'))],
  ['nothing', () => undefined],
])('a confirmPage that returns %s is an error that names the cause', async (_title, confirmPage) => {
  const strategy: Partial<StrategyOptions<false>> = {}
  Reflect.set(strategy, 'confirmPage', confirmPage)
  const app = await logins.startApp({ strategy })
  const answer = await new Browser().request(app.loginURL)
  expect(answer.status).toBe(500)
  expect(String(app.errors[0])).toContain('confirmPage must return a string')
})

test.each([
  ['<!doctype html><title>x</title>', /^<!doctype html>\n<style>/],
  ['\n<!DOCTYPE html SYSTEM "x">\n<p>x', /^\n<!DOCTYPE html SYSTEM "x">\n<style>/],
  ['<!-- c --><!doctype html><p>x', /^<!-- c --><!doctype html>\n<style>/],
  ['<p>x <!--', /^\n<style>[\s\S]*<\/script>\n<p>x <!--$/],
])('the guard precedes the content of an application’s own page (%j)', async (html, expected) => {
  const app = await logins.startApp({ strategy: { confirmPage: () => html } })
  expect((await new Browser().request(app.loginURL)).body).toMatch(expected)
})

test.each([
  ['as the strategy has it is the same callback', '/callback', 200],
  // Another route under `case sensitive routing`.
  ['in another letter case is a different callback', '/Callback', 403],
])('a callbackURL per request %s', async (_title, callbackURL, status) => {
  const app = await logins.startApp({ start: { callbackURL } })
  expect((await app.logIn()).status).toBe(status)
})

test('failureFlash without connect-flash is an error of the application, at every failure', async () => {
  const app = await logins.startApp({ callback: { failureRedirect: '/', failureFlash: true } })
  const { result, output } = await captureOutput(() => new Browser().comeBack(app.approvedCallback()))
  expect([result.status, output]).toStrictEqual([500, ''])
  expect(app.errors.map(String)).toStrictEqual(['TypeError: req.flash is not a function'])
})

test.each([
  ['/inbox', 'a string'],
  [7, 'a number'],
  [['/inbox'], 'an array'],
  [Promise.resolve({ returnTo: '/inbox' }), 'a promise (await it first)'],
])('the options %p of passport.authenticate() are an error that tells the type', async (options, type) => {
  const app = await logins.startApp({
    before: (server, passport) => {
      server.get('/wrong', Reflect.apply(passport.authenticate, passport, ['social-login', options]))
    },
  })
  expect((await new Browser().follow(`${app.origin}/wrong`)).status).toBe(500)
  expect(app.errors.map(String)).toStrictEqual([
    `TypeError: passport.authenticate: options must be an object of options, not ${type}`,
  ])
})
