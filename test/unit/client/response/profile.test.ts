import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJSON } from '../../../../lib/client/response/json'
import { type Profile, toProfile } from '../../../../lib/client/response/profile'
import { parseUser, type SocialLoginUser } from '../../../../lib/client/response/user'
import { SocialLoginError } from '../../../../lib/errors'

const uploads = new URL('https://social.example/content/uploads/')

function fixture(name: string): string {
  return readFileSync(join(__dirname, '../../../../../test/fixtures/profiles', `${name}.json`), 'utf8')
}

function profileOf(text: string, uploadsURL?: URL): Profile {
  return toProfile(parseUser(parseJSON(text), text), uploadsURL === undefined ? {} : { uploadsURL: uploadsURL.href })
}

function userOf(text: string): SocialLoginUser {
  return parseUser(parseJSON(text), text).user
}

function codeOf(text: string): string {
  try {
    parseUser(parseJSON(text), text)
  } catch (error) {
    if (error instanceof SocialLoginError && error.phase === 'profile') return error.code
    throw error
  }
  return 'accepted'
}

test.each(['bare', 'bare-strings', 'wrapped-user_info', 'wrapped-data'])('the %s record is the same person', (name) => {
  const text = fixture(name)
  const profile = profileOf(text)
  expect(profile).toEqual({
    provider: 'social-login',
    id: '42',
    username: 'ada',
    displayName: 'Ada Lovelace',
    name: { familyName: 'Lovelace', givenName: 'Ada' },
    emails: [{ value: 'ada@people.example' }],
    photos: [{ value: 'https://cdn.example/ada.jpg' }],
    gender: 'female',
    birthday: '1815-12-10',
    coverPhoto: 'https://cdn.example/ada-cover.jpg',
    badge: true,
    _raw: text,
    _json: expect.objectContaining({ user_name: 'ada' }),
  })
  expect(userOf(text)).toMatchObject({
    user_id: '42',
    user_verified: true,
    user_picture: 'https://cdn.example/ada.jpg',
    user_cover: 'https://cdn.example/ada-cover.jpg',
  })
})

test('a record of a deployed server is decoded and completed, and its placeholders are removed', () => {
  const profile = profileOf(fixture('as-deployed'), uploads)
  expect(profile).toMatchObject({
    id: '1',
    displayName: "Sinéad O'Brien",
    name: { familyName: "O'Brien", givenName: 'Sinéad' },
    photos: [{ value: 'https://social.example/content/uploads/photos/2020/02/sinead.jpg' }],
    gender: 'N/A',
    badge: false,
  })
  expect(profile).not.toHaveProperty('birthday')
  expect(profile).not.toHaveProperty('coverPhoto')
  expect(profile._json['user_biography']).toBe('Hello, I&#039;m Sin&eacute;ad &amp; glad to be here.')
  expect(profile._json['user_relationship']).toBeNull()
})

test('the absolute twin of a relative picture is used without uploadsURL', () => {
  expect(profileOf(fixture('as-deployed')).photos).toStrictEqual([
    { value: 'https://social.example/content/uploads/photos/2020/02/sinead.jpg' },
  ])
})

test.each(['only-an-id', 'nothing-filled-in'])('a person with %s is a profile without the other fields', (name) => {
  const text = fixture(name)
  const profile = profileOf(text, uploads)
  const { _json, ...rest } = profile
  expect(rest).toEqual({ provider: 'social-login', id: '5', displayName: '', _raw: text })
  expect(userOf(text)).toEqual({
    user_id: '5',
    user_name: null,
    user_email: null,
    user_firstname: null,
    user_lastname: null,
    user_gender: null,
    user_birthdate: null,
    user_picture: null,
    user_cover: null,
    user_verified: null,
  })
})

test('empty texts give no names, no e-mail and no pictures, and an empty flag no badge', () => {
  const { _json, _raw, ...rest } = profileOf(fixture('empty-texts'), uploads)
  expect(rest).toEqual({ provider: 'social-login', id: '5', displayName: '', badge: false })
})

test('fields of the wrong type are left out and never make a login fail', () => {
  const text = fixture('wrong-types')
  const { _json, _raw, ...rest } = profileOf(text, uploads)
  expect(rest).toEqual({
    provider: 'social-login',
    id: '5',
    username: '1234567890123456789012',
    displayName: '1234567890123456789012',
    gender: '1',
  })
  expect(userOf(text)).toMatchObject({ user_email: null, user_firstname: null, user_verified: null })
})

test('a hostile record yields texts without control characters, no picture, and no e-mail', () => {
  const { _json, _raw, ...rest } = profileOf(fixture('hostile'), uploads)
  expect(rest).toEqual({
    provider: 'social-login',
    id: '666',
    username: '<script>alert(1)</script>',
    displayName: 'Ad[31ma <img src=x onerror=alert(1)>',
    name: { familyName: '<img src=x onerror=alert(1)>', givenName: 'Ad[31ma' },
  })
})

test('merging the record does not change an object’s prototype', () => {
  const { _json } = profileOf(fixture('hostile'))
  expect(Object.keys(_json)).not.toEqual(expect.arrayContaining(['__proto__']))
  expect(Object.keys(_json)).not.toEqual(expect.arrayContaining(['constructor']))
  const text = '{"user_id":"1","__proto__":{"isAdmin":true},"deep":[{"__proto__":{"isAdmin":true}}]}'
  for (const merged of [Object.assign({}, profileOf(text)._json), Object.assign({}, userOf(text))]) {
    expect(Reflect.get(merged, 'isAdmin')).toBeUndefined()
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  }
  const first: unknown = Reflect.get(Object(profileOf(text)._json['deep']), 0)
  expect(Reflect.get(Object.assign({}, first), 'isAdmin')).toBeUndefined()
})

test.each(['user_id', 'user_info', 'data', 'error'])('an inherited %s is ignored', (name) => {
  expect(codeOf(`{"__proto__":{"${name}":${name === 'user_id' ? '"9"' : '{"user_id":"9"}'}}}`)).toBe('profile_invalid')
})

test('numbers beyond 2^53 keep every digit, in the id and in further fields', () => {
  const profile = profileOf(fixture('beyond-2-53'))
  expect(profile.id).toBe('9007199254740993')
  expect(profile._json).toMatchObject({ user_id: '9007199254740993', followers: '9007199254740993', posts: 12 })
})

const digits = '1234567890'.repeat(13)
const good = [
  ...['1', '7', '10', '42', '100', '2147483648', '9007199254740991', '9007199254740992', '9007199254740993'],
  ...['9007199254740994', '18446744073709551615', '18446744073709551616', '1'.repeat(19), digits.slice(0, 128)],
]
const goodTexts = [
  ...['a', 'A', 'ada', 'Ada', 'u_1', 'u-1', 'u.1', 'u:1', '1a', '0a', '1-2', 'annull', 'nullify'],
  ...['deadbeef-dead-beef-dead-beefdeadbeef', 'x'.repeat(128)],
  // What looks like a number is none: one hexadecimal id of some hundreds has digits and a single e.
  ...['374e76010383810', '652300000000000000000e12', '0e1234567890123', '1e0', '1E3', '1e400', '1e-7', '1.0', '1.5'],
  ...['007', '0001', '0x1f', '0X1F', '0b1', '0o7', '1.', '.5', '1.50', '12.5', 'Infinity', '-Infinity', '1_000', '1-1'],
]

test.each(good)('the number %s is an id and keeps its literal', (id) => {
  expect(userOf(`{"user_id":${id}}`).user_id).toBe(id)
  expect(userOf(`{"user_id":"${id}"}`).user_id).toBe(id)
})

test.each(goodTexts)('the text %s is an id', (id) => {
  expect(userOf(`{"user_id":"${id}"}`).user_id).toBe(id)
})

const nobody = [
  ...['0', '-0', '-1', '1.5', '0.0', '1e0', '1E0', '1e3', '10e-1', '1e400', '-1e400', '1E+2', '123e-5'],
  ...['null', 'true', 'false', '[]', '[1]', '["1"]', '{}', '{"id":1}', '{"value":"1"}', digits, '""', '" "'],
  ...['{"isLosslessNumber":true,"value":"1"}', '{"__proto__":1}', '"0"', '"00"', '"-0"', '"-1"', '"+1"', '"0.0"'],
  ...[
    '0e5',
    '7e0',
    '374e76010383810',
    '65230e12',
    '1.50',
    '1.0e1',
    '12.5',
    '100e-2',
    '-7',
    '"0.00"',
    '"-12"',
    '"-1.5"',
  ],
  ...['"1e+21"', '" 1"', '"1 "', '"1\\n"', '"\\u00001"', '"1,2"', '"1/2"', '"a b"', '"é"', '"１"'],
  ...[
    '"a@b"',
    '"<b>"',
    '"\'"',
    '"\\""',
    '"[object Object]"',
    '"undefined"',
    '"NULL"',
    '"NaN"',
    '"true"',
    '"false"',
    `"${'x'.repeat(129)}"`,
    `"${digits}"`,
    '"1\\u200b"',
  ],
]

test('no two accepted literals are one id', () => {
  const literals = [...good, ...goodTexts.map((id) => `"${id}"`)]
  expect(new Set(literals.map((id) => userOf(`{"user_id":${id}}`).user_id)).size).toBe(literals.length)
})

test.each(['1e3', '1.50', '374e76010383810', '1e400', '12e0', '1.0e2'])(
  'the number %s is refused although its digits are kept as a text, wherever userRecord finds it',
  (digits) => {
    const idOf = (text: string) => parseUser(parseJSON(text), text, ({ id }) => ({ user_id: id })).user.user_id
    expect(codeOf(`{"user_name":"\\" ${digits}","user_id":${digits}}`)).toBe('profile_invalid')
    expect(() => idOf(`{"id":${digits}}`)).toThrow('user_id')
    expect(idOf(`{"id":"${digits}","user_name":"\\": ${digits},"}`)).toBe(digits)
  },
)

test('a text of digits and a fraction stays what it is, whatever numbers stand elsewhere', () => {
  expect(userOf('{"user_id":"7.0","version":7.0}').user_id).toBe('7.0')
  expect(userOf('{"user_id":7.0,"version":"7.0"}').user_id).toBe('7')
  expect(userOf('{"version":1e3,"user_id":"1e3"}').user_id).toBe('1e3')
})

test.each(nobody)('%s as user_id is refused', (literal) => {
  expect(codeOf(`{"user_id":${literal}}`)).toBe('profile_invalid')
  expect(codeOf(`{"data":{"user_id":${literal}}}`)).toBe('profile_invalid')
})

test.each([
  ...['null', 'true', '[]', '[{"user_id":"1"}]', '"1"', '1', '{}', '{"user_info":[]}', '{"user_info":null}'],
  ...['{"user_info":"1"}', '{"data":{}}', '{"user":{"user_id":"1"}}', '{"user_info":{"data":{"user_id":"1"}}}'],
  ...['{"User_ID":"1"}', '{"user_id":null,"user_info":{"user_id":"1"}}', '{"error":false}', '{"data":[{"user_id":1}]}'],
])('the response %s contains no user', (text) => {
  expect(codeOf(text)).toBe('profile_invalid')
})

test.each([
  '{"user_info":{},"data":{"user_id":"7"}}',
  '{"user_info":null,"data":{"user_id":"7"}}',
  '{"user_info":{"user_id":"7"},"data":{"user_id":"8"}}',
  '{"user_id":"7","user_info":{"user_id":"8"}}',
])('the user of the response %s is the first record with an id', (text) => {
  expect(userOf(text).user_id).toBe('7')
})
