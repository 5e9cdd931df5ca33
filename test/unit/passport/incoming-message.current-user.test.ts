import { currentUserKey } from '../../../lib/passport/incoming-message'
import { incoming } from '../../support/incoming'

const inSession = (user: unknown) => currentUserKey(incoming('/', {}, { session: { passport: { user } } }))
const onRequest = (user: unknown) => currentUserKey(incoming('/', {}, { user }))
const byOption = (user: unknown) => currentUserKey(incoming('/', {}, { user: { id: 'guest' } }), () => user)

test('nobody is signed in without a session, with an empty one, or with a user that Passport ignores', () => {
  expect(currentUserKey(incoming('/'))).toBeUndefined()
  for (const user of [undefined, null, false, '']) expect(inSession(user)).toBeUndefined()
  for (const user of [undefined, null, false]) expect(onRequest(user)).toBeUndefined()
  for (const user of [undefined, null, false, '']) expect(byOption(user)).toBeUndefined()
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
    ...[{ sub: 'x' }, { sub: 'y' }, 'somebody', 5].map(onRequest),
    ...[{ id: 3 }, { id: 3, provider: 'a' }, { id: 3, iss: 'b' }, { id: 3, iss: 'c' }].map(onRequest),
    ...[
      { id: 3, provider: 'b', iss: 'c' },
      { id: 3, provider: 'c', iss: 'b' },
    ].map(onRequest),
  ]
  for (const keys of [different, [0, 1, '1', 'ada', { id: 2 }, { id: 3 }].map(byOption)]) {
    expect(keys).not.toContain(undefined)
    expect(new Set(keys).size).toBe(keys.length)
  }
  for (const keyOf of [onRequest, inSession, byOption]) {
    for (const renewed of ['iat', 'exp', 'nbf', 'jti', 'auth_time'])
      expect(keyOf({ name: 'ada', [renewed]: 1 })).toBe(keyOf({ name: 'ada', [renewed]: 2 }))
    expect(keyOf({ id: 7, name: 'then' })).toBe(keyOf({ id: 7, name: 'now', lastSeen: 1 }))
    expect(keyOf({ _id: 'x', token: 1 })).toBe(keyOf({ _id: 'x', token: 2 }))
    expect(keyOf({ sub: 'x' })).toBe(keyOf({ sub: 'x', roles: ['admin'] }))
    expect(keyOf({ id: null, sub: 'x' })).toBe(keyOf({ id: null, sub: 'x', roles: ['admin'] }))
  }
})

const ID_NAMES = ['id', '_id', 'sub', 'userId', 'userID', 'user_id', 'uid', 'uuid', 'oid', 'username', 'email']

test.each(ID_NAMES.map((name, index) => [name, ID_NAMES.slice(index + 1)] as const))(
  'the member %s identifies a user, whatever the less usual members are',
  (name, after) => {
    const withOthers = (id: string, other: string) =>
      onRequest(Object.fromEntries([[name, id], ...['name', ...after].map((each) => [each, other])]))
    expect(withOthers('x', 'then')).toBe(withOthers('x', 'now'))
    expect(withOthers('x', 'then')).not.toBe(withOthers('y', 'then'))
  },
)

test('a provider that is no text, as where a database has joined it, does not count', () => {
  const joined: Record<string, unknown> = { seen: 1 }
  joined['users'] = [joined]
  expect(onRequest({ id: 7, provider: joined, iss: 1 })).toBe(onRequest({ id: 7 }))
})

test('a promise of the option currentUser is refused', () => {
  expect(() => byOption(Promise.resolve(1))).toThrow(
    new TypeError('currentUser must return the signed-in user or the id, not a promise'),
  )
})

test('the user of the application counts beside that of another userProperty', () => {
  const beside = (user: unknown) => currentUserKey(incoming('/', {}, { _userProperty: 'me', me: { id: 1 }, user }))
  expect(new Set([beside(undefined), beside({ id: 1 }), beside({ id: 2 })]).size).toBe(3)
})

test('an empty id is none, and 0 is a user', () => {
  for (const id of ['', null, undefined, Number.NaN])
    expect(onRequest({ id, name: 'a' })).not.toBe(onRequest({ id, name: 'b' }))
  expect(onRequest(0)).toBeDefined()
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
  ['who is a symbol', Symbol('secret')],
  ['whose id is a symbol', { id: Symbol('secret') }],
  ['whose members are the same JSON for everybody', { account: new PrivateID('secret'), roles: [new Map()] }],
  ['who is null as JSON', { toJSON: () => null }],
])('a user %s is refused without revealing its content', (_title, user) => {
  expect(() => onRequest(user)).toThrow(
    new TypeError('The signed-in user cannot be identified: give the user an id, or let serializeUser return JSON'),
  )
})

const inBoth = (serialized: unknown, user: unknown) =>
  currentUserKey(incoming('/', {}, { session: { passport: { user: serialized } }, user }))

test('the user in the session and the one on the request both count, unless only one of them has an id', () => {
  const both = [inBoth(1, { id: 2 }), inBoth(1, { id: 3 }), inBoth(2, { id: 2 }), inSession(1), onRequest({ id: 2 })]
  expect(new Set(both).size).toBe(both.length)
  expect(inBoth({ id: 1, name: 'then' }, { id: 2 })).toBe(inBoth({ id: 1 }, { id: 2, name: 'now' }))
  expect(inBoth(1, { name: 'then' })).toBe(inBoth(1, { name: 'now' }))
  expect(inBoth({ token: 'then' }, { id: 2 })).toBe(inBoth({ token: 'now' }, { id: 2 }))
  expect(inBoth({ token: 'x' }, { id: 2 })).not.toBe(inBoth({ token: 'x' }, { id: 3 }))
  expect(inBoth({ token: 'then' }, { name: 'ada' })).not.toBe(inBoth({ token: 'now' }, { name: 'ada' }))
  for (const nobody of [undefined, null, false]) expect(inBoth({ token: 'x' }, nobody)).toBe(inSession({ token: 'x' }))
})

test('a user at req.user beside an empty session is signed in, whatever else came', () => {
  for (const more of [{}, { _sessionManager: {} }, { sessionID: 'abc', _sessionManager: {} }])
    expect(currentUserKey(incoming('/', {}, { ...more, user: { id: 1 } }))).toBe(onRequest({ id: 1 }))
})
