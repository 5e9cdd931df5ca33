import { SocialLoginError, toProfile } from '../../../lib'
import { parseJSON } from '../../../lib/client/json'
import type { Profile } from '../../../lib/client/profile'
import { readUser } from '../../../lib/client/user'

function profileOf(fields: object): Profile {
  const text = JSON.stringify({ user_id: '1', ...fields })
  return toProfile(readUser(parseJSON(text), text))
}

const nameOf = (name: string): string => profileOf({ user_name: name }).displayName

// Zero width space, right-to-left mark, Arabic letter mark, Hangul filler, soft hyphen, word joiner, BOM, line separator,
// invisible plus, half-width filler, interlinear annotation, tag, variation selector, joiners, bidi controls.
const invisible = [
  ...['\u200b', '\u200f', '\u061c', '\u3164', '\u00ad', '\u2060', '\ufeff', '\u2028', '\u2064', '\uffa0', '\ufff9'],
  ...['\u{e0041}', '\ufe0f', '\u{e0100}', '\u200c', '\u200d', '\u202e', '\u2066', '\u0007', '\u034f', '\u180e'],
  // A blank of Braille, a noncharacter, fillers, half a surrogate pair.
  ...['\u2800', '\uffff', '\u{16fe4}', '\u{1d159}', '\u{1107f}', '\u{13430}', '\u{13441}'],
]
const codeOf = (character: string): string => `U+${character.codePointAt(0)?.toString(16)}`

test.each(invisible.map((character) => [codeOf(character), character]))(
  'a name with %s is the name without it',
  (_code, character) => {
    expect(`Ada${character} Lovelace`).not.toBe('Ada Lovelace')
    expect(nameOf(`Ada${character} Love${character}lace${character}`)).toBe('Ada Lovelace')
    expect(nameOf(`Ada&#x${character.codePointAt(0)?.toString(16)}; Lovelace`)).toBe('Ada Lovelace')
  },
)

test.each(invisible.map((character) => [codeOf(character), character]))(
  'an e-mail address with %s is left out: without the character it would be a different one',
  (_code, character) => {
    expect(profileOf({ user_email: `ada${character}@people.example` })).not.toHaveProperty('emails')
    expect(profileOf({ user_email: `ada@people${character}.example` })).not.toHaveProperty('emails')
    expect(profileOf({ user_email: `ada@people.example${character}` })).not.toHaveProperty('emails')
  },
)

test('no two invisible characters keep each other in a Latin name, as a selector kept the joiner behind it', () => {
  const plane = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  const ignorable = plane.filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character))
  expect(ignorable.length).toBeGreaterThan(50)
  const pairs = ignorable.flatMap((first) => ignorable.map((second) => first + second))
  expect(pairs.filter((pair) => nameOf(`Ada${pair}Lovelace`) !== 'AdaLovelace')).toEqual([])
})

test.each([
  ['Persian, with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Hindi, with a joiner', '\u0915\u094d\u200d\u0937'],
  ['Sinhala, with a joiner', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
  ['Mongolian, with a variation selector', '\u182a\u180b'],
  ['Mongolian, with a joiner behind the selector', '\u182a\u180b\u200d\u1820'],
  ['Han, with a variation sequence', '\u845b\u{e0100}'],
  ['a family of emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['an emoji with a skin tone and a profession', '\u{1f469}\u{1f3fd}\u200d\u{1f4bb}'],
  ['a heart in colour, on fire', '\u2764\ufe0f\u200d\u{1f525}'],
  ['a keycap', '1\ufe0f\u20e3'],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
])('%s is unchanged', (_title, name) => {
  expect(nameOf(name)).toBe(name)
})

test.each(['\u00a0', '\u200a', '\u3000', '  '])('the spaces %j in a name become one plain space', (spaces) => {
  expect(nameOf(`Ada${spaces}Lovelace`)).toBe('Ada Lovelace')
})

test.each([
  ['a lone surrogate', 'Ada\ud800', 'Ada'],
  ['a selector behind a digit that is no keycap', 'neo1\ufe0f', 'neo1'],
  ['a joiner between Latin letters', 'Love\u200dlace', 'Lovelace'],
  ['a joiner between an emoji and a letter', '\u{1f600}\u200dAda', '\u{1f600}Ada'],
  ['a joiner with nothing behind it', '\u0645\u06cc\u200c', '\u0645\u06cc'],
])('%s is removed', (_title, name, shown) => {
  expect(nameOf(name)).toBe(shown)
})

test.each([
  '\u3164',
  '\u200b\u200b',
  '\u2800',
  ' \u00a0\u2003',
  '\u{e0041}\u{e0042}',
  '\u200d',
  '\u17b4\u200d\u17b5'.repeat(2),
])('an invisible name is left out (%j)', (name) => {
  expect(profileOf({ user_name: 'ada', user_firstname: name, user_lastname: name }).displayName).toBe('ada')
  expect(profileOf({ user_name: name })).not.toHaveProperty('username')
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
  expect(() => profileOf({ user_id: id })).toThrow(SocialLoginError)
})

test.each(['a..b', 'proto', '_', 'constructor2', '.a', 'a.', 'Constructor'])('the id %s is accepted', (id) => {
  expect(profileOf({ user_id: id }).id).toBe(id)
})

test('toProfile gives the same profile as the strategy, including provider and pictures', () => {
  const text = JSON.stringify({ user_id: 7, user_name: 'Ada\u200b', user_picture: 'photos/a.jpg' })
  const answer = readUser(parseJSON(text), text)
  expect(toProfile(answer)).toMatchObject({ provider: 'social-login', id: '7', displayName: 'Ada' })
  expect(toProfile(answer)).not.toHaveProperty('photos')
  expect(toProfile(answer, { provider: 'mine', uploadsURL: 'https://social.example/uploads' })).toMatchObject({
    provider: 'mine',
    photos: [{ value: 'https://social.example/uploads/photos/a.jpg' }],
  })
  expect(toProfile(answer, { uploadsURL: 'http://social.example/uploads/' })).toMatchObject({
    photos: [{ value: 'http://social.example/uploads/photos/a.jpg' }],
  })
  expect(() => toProfile(answer, { uploadsURL: 'no URL' })).toThrow(/uploadsURL/)
})
