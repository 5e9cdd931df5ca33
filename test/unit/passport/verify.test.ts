import type { IncomingMessage } from 'node:http'
import { useVerify } from './verify-app'

type Done = (error?: unknown, user?: unknown, info?: unknown) => void
type Profile = { id: string; displayName: string }
type Verify = (token: string, refreshToken: undefined, profile: Profile, done: Done) => unknown

const logIn = useVerify()

const signedIn = { status: 200, body: { user: { id: '1' }, info: {} } }
const refused = { status: 401, body: { name: 'AuthenticationError', message: 'Unauthorized' } }
const user = (profile: Profile) => ({ id: profile.id })

/** Wraps a `validate` method like Nest's PassportStrategy mixin. */
function nest(validate: (...values: unknown[]) => unknown): (...values: unknown[]) => Promise<void> {
  return async (...params) => {
    const done = params.at(-1)
    if (typeof done !== 'function') throw new Error('no callback')
    try {
      done(null, await validate(...params))
    } catch (error) {
      done(error, null)
    }
  }
}

/** The user of a profile that is not typed. */
const userOf = (profile: unknown) => ({ id: Reflect.get(Object(profile), 'id') })

const shapes: [string, Verify][] = [
  ['calls done', (_token, _refresh, profile, done) => done(null, user(profile))],
  ['calls done later', (_token, _refresh, profile, done) => void setImmediate(done, null, user(profile))],
  ['is async', async (_token, _refresh, profile) => user(profile)],
  ['returns the user', (_token, _refresh, profile) => user(profile)],
  ['is async and declares done', async (_token, _refresh, profile, _done) => user(profile)],
  ['is async and calls done', async (_token, _refresh, profile, done) => done(null, user(profile))],
  [
    'declares done and returns what the call returns',
    (_token, _refresh, profile, done) => {
      setImmediate(done, null, user(profile))
      return { id: 'a query, not a user' }
    },
  ],
  ['returns a thenable', (_token, _refresh, profile) => thenable(user(profile))],
  [
    'returns a thenable that is a function, as those of RPC libraries are',
    (_token, _refresh, profile) => Object.assign(() => {}, thenable(user(profile))),
  ],
  [
    'declares done and returns an unrelated thenable',
    (_token, _refresh, profile, done) => {
      setImmediate(done, null, user(profile))
      return thenable({ id: 'a query, not a user' })
    },
  ],
  ['is the wrapper of NestJS around an async method', nest(async (_token, _refresh, profile) => userOf(profile))],
  ['has rest parameters and returns the user', (...[, , profile]) => user(profile)],
  ['has rest parameters and calls done later', (...[, , , done]) => void setImmediate(done, null, { id: '1' })],
]

function thenable(value: unknown): object {
  // biome-ignore lint/suspicious/noThenProperty: like query builders of databases
  return { then: (resolve: (value: unknown) => void) => resolve(value) }
}

test.each(shapes)('a verify function that %s signs its user in', async (_, verify) => {
  expect(await logIn(verify)).toEqual(signedIn)
})

test('verify gets the token, no refresh token, and the profile', async () => {
  const verify = (...values: unknown[]) => ({ id: 'x', given: values.slice(0, 3), count: values.length })
  const { body } = await logIn(verify)
  expect(body).toMatchObject({
    user: { given: [expect.stringMatching(/^[\w-]{43}$/), null, { provider: 'social-login', id: '1' }], count: 4 },
  })
})

test('with passReqToCallback verify gets the request first', async () => {
  const four = (req: IncomingMessage, _token: string, _refresh: undefined, { id }: Profile) => ({ id, url: req.url })
  const five = (req: IncomingMessage, _token: string, _refresh: undefined, { id }: Profile, done: Done): void =>
    done(null, { id, url: req.url })
  for (const verify of [four, five]) {
    const { body } = await logIn(verify, { passReqToCallback: true })
    expect(body).toMatchObject({ user: { id: '1', url: expect.stringMatching(/^\/callback\?auth_key=/) } })
  }
})

test('with one more parameter verify gets the response of the exchange', async () => {
  const five = (token: string, _r: undefined, params: object, profile: Profile, done: Done): void =>
    done(null, { ...user(profile), same: Reflect.get(params, 'access_token') === token })
  const six = (_q: object, token: string, _r: undefined, params: object, profile: Profile, done: Done): void =>
    five(token, undefined, params, profile, done)
  expect(await logIn(five)).toMatchObject({ body: { user: { id: '1', same: true } } })
  expect(await logIn(six, { passReqToCallback: true })).toMatchObject({ body: { user: { id: '1', same: true } } })
})

test('the wrapper of NestJS works under passReqToCallback', async () => {
  const verify = nest((_req, _token, _refresh, profile) => userOf(profile))
  expect(await logIn(verify, { passReqToCallback: true })).toEqual(signedIn)
})

test('the info of a success is passed with the user', async () => {
  const verify: Verify = (_token, _refresh, profile, done) => done(null, user(profile), { isNew: true })
  expect(await logIn(verify)).toMatchObject({ status: 200, body: { info: { isNew: true } } })
})

test.each<[string, Verify]>([
  ['calls done with false', (_token, _refresh, _profile, done) => done(null, false)],
  ['calls done with nothing', (_token, _refresh, _profile, done) => done()],
  ['calls done with null and info', (_token, _refresh, _profile, done) => done(null, null, { message: 'no' })],
  ['returns false', () => false],
  ['resolves false', async () => false],
  ['resolves null', async () => null],
  ['is a NestJS method that returns nothing', nest(() => undefined)],
  ['returns an empty text', (_token) => ''],
])('a verify function that %s refuses the login', async (_, verify) => {
  expect(await logIn(verify)).toMatchObject(refused)
})

test.each<[string, Verify]>([
  ['returns nothing', (_token) => {}],
  ['resolves nothing', async (_token, _refresh, _profile) => {}],
  ['calls done with a promise', (_token, _refresh, profile, done) => done(null, Promise.resolve(user(profile)))],
])('a verify function that %s by mistake is an error, not a no', async (_, verify) => {
  const { status, body } = await logIn(verify)
  expect(status).toBe(500)
  expect(body).toMatchObject({
    name: 'TypeError',
    message: expect.stringMatching(/^The verify function (returned nothing|passed a promise)/),
  })
})

class Refusal extends Error {
  readonly status = 409
}
const refusal = new Refusal('the application says no')

test.each<[string, Verify]>([
  ['throws', () => thrown(refusal)],
  ['rejects', () => Promise.reject(refusal)],
  ['rejects and declares done', (_token, _refresh, _profile, _done) => Promise.reject(refusal)],
  ['calls done with an error', (_token, _refresh, _profile, done) => done(refusal)],
  ['calls done with an error and a user', (_token, _refresh, _profile, done) => done(refusal, { id: '1' })],
  ['is a NestJS method that throws', nest(() => thrown(refusal))],
  ['returns a thenable whose then throws', () => brokenThenable()],
])("a verify function that %s gives the application's own error", async (_, verify) => {
  expect(await logIn(verify)).toEqual({
    status: 409,
    body: { name: 'Error', message: 'the application says no' },
  })
})

function thrown(error: unknown): never {
  throw error
}

function brokenThenable(): object {
  // biome-ignore lint/suspicious/noThenProperty: the case under test
  return { then: () => thrown(refusal) }
}

const route = /^(route|router)$/
test.each(['route', 'router', '', 0, null, undefined, false, Number.NaN, Symbol('x'), 1n, () => {}])(
  'a failure with %p as its error never lets the request pass as if signed in',
  async (reason) => {
    const byDoneOnly: Verify = (_token, _refresh, _profile, done) => done(reason)
    const failures = [() => Promise.reject(reason), () => thrown(reason)]
    for (const verify of reason ? [...failures, byDoneOnly] : failures) {
      const { status, body } = await logIn(verify)
      expect({ status, body }).toMatchObject({ status: 500, body: { name: 'Error' } })
      if (!route.test(String(reason))) {
        expect(body).toHaveProperty(
          'message',
          'A function of the application failed without giving an error: throw an Error, or pass one to done.',
        )
      }
    }
  },
)

test.each<[string, Verify]>([
  ['never calls done', (_token, _refresh, _profile, _done) => {}],
  ['returns a promise that never settles', () => new Promise(() => {})],
  ['is async, declares done and resolves nothing', async (_token, _refresh, _profile, _done) => {}],
  ['has rest parameters and does nothing', (..._values) => {}],
  ['declares done and returns no promise', (_token, _refresh, _profile, _done) => ({ id: '1' })],
])('a verify function that %s gives verify_timeout', async (_, verify) => {
  const answer = await logIn(verify, { verifyTimeout: 50 })
  expect(answer).toMatchObject({ status: 504, body: { name: 'SocialLoginError', code: 'verify_timeout' } })
})
