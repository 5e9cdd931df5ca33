import { currentUserKey, foreignRequest, httpRequest } from '../../../lib/passport/incoming-message'
import { incoming } from '../../support/incoming'

const inSession = (user: unknown) => currentUserKey(incoming('/', {}, { session: { passport: { user } } }))
const onRequest = (user: unknown) => currentUserKey(incoming('/', {}, { user }))

test('nobody is signed in without a session, with an empty one, or with a user that Passport ignores', () => {
  expect(currentUserKey(incoming('/'))).toBeUndefined()
  for (const user of [undefined, null, false, '']) expect(inSession(user)).toBeUndefined()
  for (const user of [undefined, null, false]) expect(onRequest(user)).toBeUndefined()
  for (const session of [null, 'x', {}, { passport: 'x' }, { passport: {} }]) {
    expect(currentUserKey(incoming('/', {}, { session }))).toBeUndefined()
  }
})

test('different users have different keys, and the same user always the same', () => {
  const different = [
    ...[0, 1, '1', 'a', { id: 2 }, { id: '2' }, { sub: 'x' }, { sub: 'y' }, { name: 'a' }, { name: 'b' }].map(
      inSession,
    ),
    ...[{ id: 1 }, { id: '1' }, { id: 1n + 1n }, { _id: { toJSON: () => 'a' } }, { _id: { toJSON: () => 'b' } }].map(
      onRequest,
    ),
    ...[{ sub: 'x' }, { sub: 'y' }, 'somebody'].map(onRequest),
  ]
  expect(different).not.toContain(undefined)
  expect(new Set(different).size).toBe(different.length)
  for (const keyOf of [onRequest, inSession]) {
    expect(keyOf({ id: 7, name: 'then' })).toBe(keyOf({ id: 7, name: 'now', lastSeen: 1 }))
    expect(keyOf({ _id: 'x', token: 1 })).toBe(keyOf({ _id: 'x', token: 2 }))
    expect(keyOf({ sub: 'x' })).toBe(keyOf({ sub: 'x', roles: ['admin'] }))
  }
})

test('users without an id differ by their whole content, at any userProperty', () => {
  expect(onRequest({ name: 'alice' })).not.toBe(onRequest({ name: 'mallory' }))
  const me = (name: string) => currentUserKey(incoming('/', {}, { _userProperty: 'me', me: { name } }))
  expect(me('alice')).toBeDefined()
  expect(me('alice')).not.toBe(me('mallory'))
})

class PrivateID {
  readonly #id: string

  constructor(id: string) {
    this.#id = id
  }

  toString(): string {
    return this.#id
  }
}

test.each([
  ['without an id that cannot be JSON', { secretName: 1n }],
  ['whose id is the same JSON for everybody', { id: new PrivateID('secret') }],
  ['who is the same JSON as everybody', new PrivateID('secret')],
])('a user %s is refused without revealing its content', (_title, user) => {
  expect(() => onRequest(user)).toThrow(
    new TypeError('The signed-in user cannot be identified: give the user an id, or let serializeUser return JSON'),
  )
})

const inBoth = (serialized: unknown, user: unknown) =>
  currentUserKey(incoming('/', {}, { session: { passport: { user: serialized } }, user }))

test('the user in the session takes precedence over the one on the request, unless only the latter has an id', () => {
  expect(inBoth(1, { id: 2 })).toBe(inSession(1))
  expect(inBoth({ id: 1 }, { id: 2 })).toBe(inSession({ id: 1 }))
  expect(inBoth({ token: 'then' }, { id: 2 })).toBe(inBoth({ token: 'now' }, { id: 2 }))
  expect(inBoth({ token: 'x' }, { id: 2 })).not.toBe(inBoth({ token: 'x' }, { id: 3 }))
  expect(inBoth({ token: 'then' }, { name: 'ada' })).not.toBe(inBoth({ token: 'now' }, { name: 'ada' }))
})

test('a header that came several times, as HTTP/2 gives it, is read with all its values', () => {
  const { header, host } = httpRequest({
    method: 'GET',
    headers: Object({ 'x-many': ['a', 'b'], ':authority': 'app.example' }),
  })
  expect([header('x-many'), header('x-none'), host]).toEqual(['a, b', undefined, 'app.example'])
})

test.each([[{}], [{ headers: new Headers() }], [{ headers: 'host: app.example' }]])(
  'the request number %# is none of Node',
  (request) => {
    expect(Reflect.apply(foreignRequest, undefined, [request])).toBeInstanceOf(TypeError)
    expect(foreignRequest(incoming('/'))).toBeUndefined()
  },
)
