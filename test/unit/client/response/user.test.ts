import { type JSONValue, parseJSON } from '../../../../lib/client/response/json'
import { findRecord, parseUser, pathToUserID } from '../../../../lib/client/response/user'
import { OUTCOMES, withAddress, withoutAddress } from '../../../../lib/errors'
import { thrownBy } from '../../../support/outcomes'

const { message } = OUTCOMES.profile_invalid
const withoutID = `${message} It has no usable user_id (a positive whole number, or 1 to 128 of the characters A-Z a-z 0-9 . _ : -).`
const messageOf = (body: JSONValue): unknown => {
  const error = thrownBy(() => parseUser(body, JSON.stringify(body)))
  return error instanceof Error && withoutAddress(error.message)
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

test('a record is found at the top, in user_info or in data, and where it was is told', () => {
  const record = { user_id: '1' }
  expect(findRecord(record)).toEqual({ record, wrapper: false })
  expect(findRecord({ user_info: record })).toEqual({ record, wrapper: 'user_info' })
  expect(findRecord({ data: record })).toEqual({ record, wrapper: 'data' })
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
  expect(messageOf(body)).toBe(`${message} It is ${kind} instead of an object, as for a user who is banned or gone.`)
})

test.each(['ada@people.example', '4711', 'key-canary-93ab', 'AdaLovelace', 'App_Secret', '\u202e', '<b>', ''])(
  'a name that could be an id, a key, a secret or a person’s is not shown: %j',
  (name) => {
    expect(messageOf({ users: { [name]: { user_id: '1' } } })).toBe(
      `${message} The response has a user_id at users.*.user_id (* is another member): let the option userRecord return its object.`,
    )
  },
)

test('a user_id is looked for in four levels below the first', () => {
  const nested = (levels: number): string => `${'{"data":'.repeat(levels)}{"user_id":"1"}${'}'.repeat(levels)}`
  expect(pathToUserID(parseJSON(nested(4)))).toBe('data.data.data.data.user_id')
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
  ['43', '43'],
])('the number %s is the id %s', (literal, id) => {
  const raw = `{"user_id":${literal}}`
  expect(parseUser(parseJSON(raw), raw).user.user_id).toBe(id)
})

const exponent =
  ' A number with an exponent is not read, because its last digits may be lost: the provider must send all digits.'

test.each(['43.5', '43.05', '0.0', '-43.0', '4.3e1', '43E0', '9.007199254740993e15', '1e+21', '5e-1'])(
  'the number %s is no id',
  (literal) => {
    const raw = `{"user_id":${literal}}`
    const error = thrownBy(() => parseUser(parseJSON(raw), raw))
    const text = withoutID + (/e/i.test(literal) ? exponent : '')
    expect(error).toMatchObject({ message: withAddress(text, 'profile_invalid') })
  },
)

test.each(['x 1e5', '1e5 ', '1e 5', '1e*5'])(
  'the text %j, which only looks like an exponent, is told of no exponent',
  (id) => {
    expect(messageOf({ user_id: id })).toBe(withoutID)
  },
)

test('a number that userRecord has computed must be whole', () => {
  const read = (text: string) =>
    parseUser({ id: text }, JSON.stringify({ id: text }), ({ id }) => ({ user_id: Number(id) }))
  expect(read('15').user.user_id).toBe('15')
  expect(() => read('1.5')).toThrow(withoutID)
})

test('the record stays as the provider sent it beside the typed user', () => {
  const record = { user_id: 7, user_name: 1815, user_verified: '1', city: 'London' }
  const { user, json } = parseUser({ ...record }, JSON.stringify(record))
  expect(json).toEqual(record)
  expect(user).toMatchObject({ user_id: '7', user_name: '1815', user_verified: true, city: 'London' })
})
