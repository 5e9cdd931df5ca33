import { toProfile } from '../../../lib'
import { parseJSON } from '../../../lib/client/json'
import type { Profile } from '../../../lib/client/profile'
import { parseUser } from '../../../lib/client/user'

function profileOf(fields: object): Profile {
  const text = JSON.stringify({ user_id: '1', ...fields })
  return toProfile(parseUser(parseJSON(text), text))
}

const nameOf = (name: string): string => profileOf({ user_name: name }).displayName

// Bell, tab, line feed, escape, delete, next line; marks, embeddings, overrides and isolates of direction.
const controls = [
  ...['\u0007', '\t', '\n', '\u001b', '\u007f', '\u0085'],
  ...[
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ],
].map((character): [string, string] => [`U+${character.codePointAt(0)?.toString(16)}`, character])

test.each(controls)('a name with %s is the name without it', (_code, character) => {
  expect(nameOf(`${character}Ada${character} Love${character}lace${character}`)).toBe('Ada Lovelace')
  expect(nameOf(`Ada&#x202e;${character} Lovelace`)).toBe('Ada Lovelace')
})

test.each(controls)(
  'an e-mail address with %s is left out: without it, it would be another one',
  (_code, character) => {
    for (const address of [
      `ada${character}@people.example`,
      `ada@people${character}.example`,
      `ada@people.example${character}.`,
    ])
      expect(profileOf({ user_email: address })).not.toHaveProperty('emails')
  },
)

test.each([
  ['Persian, with a non-joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Mongolian, with a variation selector', '\u182a\u180b'],
  ['a family of emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['a heart in colour, on fire', '\u2764\ufe0f\u200d\u{1f525}'],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['two spaces', 'Ada  Lovelace'],
])('%s is unchanged', (_title, name) => {
  expect(nameOf(name)).toBe(name)
})

test.each(['', ' \u00a0\u2003', '\u202e\n', '\ufeff'])(
  'a name of white space and controls is left out (%j)',
  (name) => {
    expect(profileOf({ user_name: 'ada', user_firstname: name, user_lastname: name }).displayName).toBe('ada')
    expect(profileOf({ user_name: name })).not.toHaveProperty('username')
  },
)
