import { type JSONValue, parseJSON } from '../../../../lib/client/response/json'
import { parseUser, pathToUserID } from '../../../../lib/client/response/user'
import { OUTCOMES } from '../../../../lib/errors'
import { thrownBy } from '../../../support/client'

const { message } = OUTCOMES.profile_invalid
const withoutID = `${message} It has no usable user_id (a positive whole number, or 1 to 128 of the characters A-Z a-z 0-9 . _ : -).`
const messageOf = (body: JSONValue): unknown => {
  const error = thrownBy(() => parseUser(body, JSON.stringify(body)))
  return error instanceof Error && error.message
}

test.each<[string, JSONValue]>([
  ['response.profile.user_id', { response: { status: 'ok', profile: { user_id: '1' } } }],
  ['user.user_id', { user: { user_id: '1' } }],
  ['data.user.user_id', { data: { user: { user_id: '1' } } }],
  ['0.user_id', [{ user_id: '1' }]],
  ['data.0.user_id', { data: [{ user_id: '1' }, { user_id: '2' }] }],
])('the error for a record in another place says where a user_id is: %s', (path, body) => {
  expect(messageOf(body)).toBe(
    `${message} The response has a user_id at ${path}: let the option userRecord return its object.`,
  )
})

test.each<JSONValue>([{}, { user: { id: '1' } }, { user_id: '' }, { data: { user_id: 0 } }])(
  'the error for %j, which has no user_id elsewhere, names no place',
  (body) => {
    expect(messageOf(body)).toBe(withoutID)
  },
)

test.each<[JSONValue, string]>([
  [[], 'a list'],
  [null, 'null'],
  ['{"user_id":"1"}', 'a string'],
  [7, 'a number'],
])('the error for %j says that it is %s, and nothing of an id', (body, kind) => {
  expect(messageOf(body)).toBe(`${message} It is ${kind} instead of an object, as for a person who is banned or gone.`)
})

test.each(['ada@people.example', '4711', 'key-canary-93ab', '\u202e', '<b>', 'a b', 'x'.repeat(25), ''])(
  'a name that could be an id, a key or an address is not shown: %j',
  (name) => {
    expect(pathToUserID({ users: { [name]: { user_id: '1' } } })).toBe('users.*.user_id')
  },
)

test('a user_id is looked for in four levels below the first', () => {
  const nested = (levels: number): string => `${'{"a":'.repeat(levels)}{"user_id":"1"}${'}'.repeat(levels)}`
  expect(pathToUserID(parseJSON(nested(4)))).toBe('a.a.a.a.user_id')
  expect(pathToUserID(parseJSON(nested(5)))).toBeUndefined()
})

test.each([
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  '.',
  '..',
  '...',
])('the id %s is refused: as a property name or a path segment it means something else', (id) => {
  expect(messageOf({ user_id: id })).toBe(withoutID)
})

test.each(['a..b', 'proto', '_', 'constructor2', '.a', 'a.', 'Constructor'])('the id %s is accepted', (id) => {
  expect(parseUser({ user_id: id }, '').user.user_id).toBe(id)
})

test.each([
  ['43.0', '43'],
  ['43.000', '43'],
  ['9007199254740993.0', '9007199254740993'],
])('the number %s is the id %s', (literal, id) => {
  const raw = `{"user_id":${literal}}`
  expect(parseUser(parseJSON(raw), raw).user.user_id).toBe(id)
})

test.each(['43.5', '0.0', '-43.0', '4.3e1', '43E0', '9.007199254740993e15'])('the number %s is no id', (literal) => {
  const raw = `{"user_id":${literal}}`
  const error = thrownBy(() => parseUser(parseJSON(raw), raw))
  expect(error).toMatchObject({ code: 'profile_invalid' })
  expect(String(error).includes('A number with an exponent is not read')).toBe(/e/i.test(literal))
})
