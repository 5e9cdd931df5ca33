import {
  canSignIn,
  currentUserHint,
  foreignRequest,
  httpRequest,
  warnOfMissingPassportSession,
} from '../../../lib/passport/incoming-message'
import type { AuthenticateOptions } from '../../../lib/passport/options'
import { incoming } from '../../support/incoming'

const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterAll(() => emitWarning.mockRestore())

const stored = (user: unknown) => ({ session: { passport: { user } } })

test('a missing passport.session() is said once, of a user in the session who is not on the request', () => {
  const others = [{}, { session: null }, { session: {} }, stored(null), stored(''), { user: { id: 1 } }]
  const complete = [{ user: { id: 1 } }, { user: null }, { _userProperty: 'me', me: { id: 1 } }]
  for (const more of [...others, ...complete.map((user) => ({ ...stored(1), ...user }))])
    warnOfMissingPassportSession(incoming('/', {}, more))
  expect(emitWarning).not.toHaveBeenCalled()
  for (const id of [0, 1]) warnOfMissingPassportSession(incoming('/', {}, stored(id)))
  expect(emitWarning.mock.calls).toStrictEqual([
    [
      expect.stringContaining('mount passport.session()'),
      { type: 'SocialLoginWarning', code: 'PASSPORT_SESSION_MISSING' },
    ],
  ])
})

const NO_ID = expect.stringContaining('has no id that is known')
const OUTSIDE_SESSION = expect.stringContaining('gives each visitor a new user')
const [known, unknown, guest] = [{ id: 1 }, { token: 'x' }, { id: 'guest' }]

test.each<[string, object, unknown]>([
  ['nobody is signed in any more', {}, OUTSIDE_SESSION],
  ['the session has the id', stored(1), undefined],
  ['the session has the id 0, and the request the same', { ...stored(0), user: { id: 0 } }, undefined],
  ['the session and the request have different users', { ...stored(1), user: guest }, OUTSIDE_SESSION],
  ['the session has a user with an id', { ...stored(known), user: unknown }, undefined],
  ['the session has a user without an id', stored(unknown), NO_ID],
  ['neither user has an id', { ...stored(unknown), user: { name: 'ada' } }, NO_ID],
  ['only the user on the request has an id', { ...stored(unknown), user: known }, undefined],
  ['the user is on the request alone', { user: guest }, OUTSIDE_SESSION],
  ['the user is on the request alone, and has no id', { user: unknown }, NO_ID],
])('that the user has changed is explained where %s', (_title, more, hint) => {
  expect(currentUserHint(incoming('/', {}, more))).toEqual(hint)
})

test('that the user has changed is explained by what the option currentUser says, if it is given', () => {
  const hint = (user: unknown, more: object) => currentUserHint(incoming('/', {}, more), () => user)
  expect(hint(undefined, { user: guest })).toBeUndefined()
  expect(hint('ada', { user: guest })).toBeUndefined()
  expect(hint(unknown, { ...stored(known), user: known })).toEqual(NO_ID)
})

const [regenerate, save, kept] = [() => {}, () => {}, { _sessionManager: {} }]

test.each<[boolean, string, object, AuthenticateOptions?]>([
  [true, 'the session can be renewed and saved', { ...kept, session: { regenerate, save } }],
  [false, 'the session cannot be renewed', { ...kept, session: { save } }],
  [false, 'the session cannot be saved', { ...kept, session: { regenerate } }],
  [true, 'there is no session, which others say', kept],
  [true, 'there is an empty session, which others say', { ...kept, session: null }],
  [true, 'the framework keeps the user in its own way', { session: {} }],
  [true, 'nobody is kept (session: false)', { ...kept, session: {} }, { session: false }],
  [true, 'the user is another property', { ...kept, session: {} }, { assignProperty: 'account' }],
])('that Passport can sign in is %s where %s', (can, _title, more, options = {}) => {
  expect(canSignIn(incoming('/', {}, more), options)).toBe(can)
})

test('a header that came several times, as HTTP/2 gives it, is read with all its values', () => {
  const { header, host } = httpRequest({
    method: 'GET',
    headers: Object({ 'x-many': ['a', 'b'], ':authority': 'app.example' }),
  })
  expect([header('x-many'), header('x-none'), host]).toStrictEqual(['a, b', undefined, 'app.example'])
  expect(httpRequest(incoming('/')).host).toBe('app.example')
})

test.each([[{}], [{ headers: new Headers() }], [{ headers: 'host: app.example' }]])(
  'the request number %# is none of Node',
  (request) => {
    expect(Reflect.apply(foreignRequest, undefined, [request])).toBeInstanceOf(TypeError)
    expect(foreignRequest(incoming('/'))).toBeUndefined()
  },
)
