import { parseJSON } from '../../../../lib/client/response/json'
import { type Profile, toProfile } from '../../../../lib/client/response/profile'
import { parseUser } from '../../../../lib/client/response/user'

const uploads = new URL('https://social.example/content/uploads/')

function profileWith(fields: Record<string, unknown>, uploadsURL?: URL): Profile {
  const text = JSON.stringify({ user_id: '1', ...fields })
  return toProfile(parseUser(parseJSON(text), text), uploadsURL === undefined ? {} : { uploadsURL: uploadsURL.href })
}

function pictureOf(picture: unknown, uploadsURL?: URL): string | undefined {
  const { photos, coverPhoto } = profileWith({ user_picture: picture, user_cover: picture }, uploadsURL)
  expect(photos?.[0]?.value).toBe(coverPhoto)
  return coverPhoto
}

test.each([
  ['https://cdn.example/a.jpg', 'https://cdn.example/a.jpg'],
  ['http://cdn.example/a.jpg', 'http://cdn.example/a.jpg'],
  ['HTTPS://CDN.example/a.jpg', 'https://cdn.example/a.jpg'],
  [' https://cdn.example/a.jpg ', 'https://cdn.example/a.jpg'],
  ['\u00a0https://cdn.example/a.jpg\u2003', 'https://cdn.example/a.jpg'],
  ['https://cdn.example/a.jpg?w=1&amp;h=2', 'https://cdn.example/a.jpg?w=1&h=2'],
  ['https://cdn.example/a b.jpg', 'https://cdn.example/a%20b.jpg'],
  ['https://cdn.example/"><script>', 'https://cdn.example/%22%3E%3Cscript%3E'],
])('the picture %s is %s', (picture, url) => {
  expect(pictureOf(picture)).toBe(url)
  expect(pictureOf(picture, uploads)).toBe(url)
})

test.each([
  ['photos/a.jpg', 'https://social.example/content/uploads/photos/a.jpg'],
  ['./photos/a.jpg', 'https://social.example/content/uploads/photos/a.jpg'],
  ['photos/../a.jpg', 'https://social.example/content/uploads/a.jpg'],
  ['/content/uploads/a.jpg', 'https://social.example/content/uploads/a.jpg'],
  ['\u00a0photos/a.jpg\u2003', 'https://social.example/content/uploads/photos/a.jpg'],
  ['photos/a&amp;b.jpg', 'https://social.example/content/uploads/photos/a&b.jpg'],
])('the relative picture %s is resolved against uploadsURL, and left out without it', (picture, url) => {
  expect(pictureOf(picture, uploads)).toBe(url)
  expect(pictureOf(picture)).toBeUndefined()
})

test.each([
  ...['', ' ', null, true, false, 0, [], {}, ['https://cdn.example/a.jpg'], 'https://', 'https:///', 'http://[', '/'],
  ...['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)', 'vbscript:x'],
  ...['javascript://cdn.example/https:a.jpg', 'ftp://cdn.example/https:a.jpg'],
  ...['data:image/svg+xml,<svg/>', 'blob:https://cdn.example/x', 'file:///etc/passwd', 'ftp://cdn.example/a.jpg'],
  ...[
    'https://user@cdn.example/a.jpg',
    'https://:pw@cdn.example/a.jpg',
    'https://user:pw@cdn.example/a.jpg',
    'https://social.example@evil.example/',
  ],
  ...[
    '../a.jpg',
    '../../api/oauth',
    '/etc/a.jpg',
    'photos/../../a.jpg',
    '%2e%2e/a.jpg',
    '.%2e/.%2E/a.jpg',
    '..\\a.jpg',
  ],
  ...[
    'javascript&colon;alert(1)',
    '&#106;avascript:alert(1)',
    'https://cdn.example/',
    'https://cdn.example',
    'photos/',
  ],
  ...[
    '.',
    '..',
    '?x=1',
    '#x',
    'https://social.example/content/uploads/',
    'https:\\\\evil.example\\a.jpg',
    'mailto:a@b',
  ],
])('the picture %j is left out', (picture) => {
  expect(pictureOf(picture, uploads)).toBeUndefined()
})

test('a picture that was sent in more than 4,096 characters is left out', () => {
  const url = 'https://cdn.example/'
  const inEntities = (length: number): string => `${url}${'&amp;'.repeat(815)}a`.padEnd(length, 'x')
  expect(pictureOf(inEntities(4096))).toBe(`${url}${'&'.repeat(815)}a`)
  expect(pictureOf(inEntities(4097))).toBeUndefined()
})

test('the absolute twin replaces an unusable picture, and never a usable one', () => {
  const twin = 'https://social.example/twin.jpg'
  const photo = (user_picture: unknown) => profileWith({ user_picture, profile_picture: twin }).photos
  expect(photo('javascript:alert(1)')).toStrictEqual([{ value: twin }])
  expect(photo(null)).toStrictEqual([{ value: twin }])
  expect(photo('https://cdn.example/a.jpg')).toStrictEqual([{ value: 'https://cdn.example/a.jpg' }])
  // The picture of a person, in two forms; the placeholder of one without; and what old servers send for everybody.
  const placeholder = 'https://social.example/images/nobody.png'
  const both = { user_picture: 'photos/b.jpg', profile_picture: `${uploads.href}photos/b.jpg` }
  expect(profileWith(both, uploads).photos).toStrictEqual([{ value: both.profile_picture }])
  expect(profileWith({ ...both, profile_picture: placeholder }, uploads).photos).toStrictEqual([
    { value: both.profile_picture },
  ])
  for (const user_picture of [null, '', undefined, '../images/nobody.png']) {
    expect(profileWith({ user_picture, profile_picture: placeholder }, uploads).photos).toBeUndefined()
    expect(profileWith({ user_picture, profile_picture: placeholder }).photos).toStrictEqual([{ value: placeholder }])
    expect(profileWith({ ...both, user_picture }, uploads).photos).toStrictEqual([{ value: both.profile_picture }])
  }
  expect(profileWith({ user_cover: null, profile_cover: twin }).coverPhoto).toBe(twin)
  expect(profileWith({ user_cover: null, profile_cover: 'https://social.example/uploads/' }).coverPhoto).toBeUndefined()
})

test.each([
  ['O&#039;Brien', "O'Brien"],
  ['O&#39;Brien', "O'Brien"],
  ['O&apos;Brien', "O'Brien"],
  ['Jos&eacute;', 'José'],
  ['&quot;Al&quot;', '"Al"'],
  ['Fish &amp; Chips', 'Fish & Chips'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['&#x1F600;', '😀'],
  ['R&D', 'R&D'],
  ['&unknown;', '&unknown;'],
  ['&eacute', '&eacute'],
  ['&#0;x', '\ufffdx'],
  ['a\u0000b\u009fc\u007f', 'abc'],
  ['a&#27;b', 'ab'],
  ['  x  ', 'x'],
  ['&#13;&#10;', ''],
])('the name %j is shown as %j', (name, shown) => {
  const { displayName, username } = profileWith({ user_name: name })
  expect(displayName).toBe(shown)
  expect(username ?? '').toBe(shown)
})

test('texts are cut to 500 characters without splitting one', () => {
  expect(profileWith({ user_name: '😀'.repeat(501) }).username).toBe('😀'.repeat(500))
  expect(profileWith({ user_firstname: 'x'.repeat(60_000) }).name?.givenName).toHaveLength(500)
})

test('entities are decoded in the first 4,096 characters of a text', () => {
  const entity = '&#00000000000000065;'
  expect(profileWith({ user_name: entity.repeat(500) }).username).toBe('A'.repeat(204) + entity.slice(0, 16))
})

test.each([
  [{ user_firstname: 'Ada', user_lastname: 'L' }, 'Ada L', { givenName: 'Ada', familyName: 'L' }],
  [{ user_firstname: 'Ada', user_lastname: null }, 'Ada', { givenName: 'Ada', familyName: '' }],
  [{ user_firstname: '', user_lastname: 'L' }, 'L', { givenName: '', familyName: 'L' }],
  [{ user_firstname: ' ', user_lastname: '', user_name: 'ada' }, 'ada', undefined],
  [{}, '', undefined],
])('the names %j are displayed as %j', (fields, displayName, name) => {
  const profile = profileWith(fields)
  expect(profile.displayName).toBe(displayName)
  expect(profile.name).toEqual(name)
})

const noDates = [
  ...['0000-00-00', '1990-00-10', '1990-02-30', '1989-02-29', '1990-13-01', '0001-13-13', '0010-10-00', '1990-1-1'],
  ...['19900101', '02/01/1990', '-1990-02-01', '１９９０-02-01', '1990-02-01\n', '1990-02-01T00:00:00Z'],
  ...['N/A', '', ' '],
]

test.each([['1988-02-29', '1988-02-29'], ['2000-12-31', '2000-12-31'], ...noDates.map((date) => [date, undefined])])(
  'the birth date %j is %j',
  (date, birthday) => {
    expect(profileWith({ user_birthdate: date }).birthday).toBe(birthday)
  },
)

test.each([
  ...[true, 1, '1', 'true'].map((value) => [value, true]),
  ...[false, 0, '0', 'false', ''].map((value) => [value, false]),
  ...[null, 2, -1, '2', 'yes', 'N/A', [], {}, [1], 1.5].map((value) => [value, undefined]),
])('the flag user_verified %j is the badge %j and no verified e-mail', (user_verified, badge) => {
  const profile = profileWith({ user_verified, user_email: 'ada@people.example', email_verified: true, verified: true })
  expect(profile.badge).toBe(badge)
  expect('badge' in profile).toBe(badge !== undefined)
  expect(profile.emails).toStrictEqual([{ value: 'ada@people.example' }])
  expect(Object.keys(profile)).not.toEqual(expect.arrayContaining(['verified']))
})

test.each([
  ...['', ' ', 'a', '@', 'a@', '@b', 'a b@c', 'a@b c', 'a@b@c', 'N/A', null, 1, true, [], {}],
  ...[`${'a'.repeat(250)}@b.example`, 'a\u00a0b@c', 'a@b,\nc@d', 'a@b, c@d'],
])('the e-mail address %j is left out', (user_email) => {
  expect(profileWith({ user_email })).not.toHaveProperty('emails')
})

test('an e-mail address is read with its entities, and without white space around it', () => {
  expect(profileWith({ user_email: 'o&#039;brien&#64;people.example' }).emails).toStrictEqual([
    { value: "o'brien@people.example" },
  ])
  expect(profileWith({ user_email: ' ada@people.example\n' }).emails).toStrictEqual([{ value: 'ada@people.example' }])
})

test('an e-mail address has at most 254 characters', () => {
  const longest = `${'a'.repeat(244)}@b.example`
  expect(profileWith({ user_email: longest }).emails).toStrictEqual([{ value: longest }])
  expect(profileWith({ user_email: `a${longest}` })).not.toHaveProperty('emails')
})

test.each(['Male', 'N/A', 'weiblich', 'Нет'])('the gender %s is free text', (user_gender) => {
  expect(profileWith({ user_gender }).gender).toBe(user_gender)
})

test('toProfile gives the same profile as the strategy, including provider and pictures', () => {
  const text = JSON.stringify({ user_id: 7, user_name: 'Ada\u202e', user_picture: 'photos/a.jpg' })
  const answer = parseUser(parseJSON(text), text)
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

test.each<[string, unknown]>([
  ['null', null],
  ['undefined', undefined],
  ['an object', {}],
  ['an object', { json: {} }],
  ['an object', { json: {}, user: { user_id: 1 } }],
  ['an object', { json: null, user: { user_id: '1' } }],
  ['an object', { json: [], user: { user_id: '1' } }],
  ['an array', []],
])('toProfile says what it takes in place of %s', (kind, answer) => {
  const must = 'toProfile: answer must be what fetchUser resolves to, with the members user, json and raw'
  expect(() => Reflect.apply(toProfile, undefined, [answer])).toThrow(new TypeError(`${must}, not ${kind}`))
})

const nameOf = (name: string): string => profileWith({ user_name: name }).displayName

// Bell, tab, line feed, escape, delete, next line; marks, embeddings, overrides and isolates of direction.
const controls = [
  ...['\u0007', '\t', '\n', '\u001b', '\u007f', '\u0085'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
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
      expect(profileWith({ user_email: address })).not.toHaveProperty('emails')
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
    expect(profileWith({ user_name: 'ada', user_firstname: name, user_lastname: name }).displayName).toBe('ada')
    expect(profileWith({ user_name: name })).not.toHaveProperty('username')
  },
)

// The empty cell of Braille, an invisible separator, a filler, a joiner, a variation selector, a tag, the anchor of an annotation, a
// note without a head.
const invisible = [
  '\u2800',
  '\u2063',
  '\u3164',
  '\u115f',
  '\u200d',
  '\ufe0f',
  '\u{e0041}',
  '\ufff9',
  '\u{1d159}',
  '\ufffc',
  '\u2d7f',
  '\u{13441}',
  '\u{16fe4}',
  '\u00ad',
].map((character): [string, string] => [`U+${character.codePointAt(0)?.toString(16)}`, character])

test.each(invisible)('a name that shows nothing is left out (%s)', (_code, character) => {
  for (const name of [character, ` ${character}${character}\u2003`, `\u202e${character}`, `&#x2800;${character}`]) {
    expect(profileWith({ user_name: 'ada', user_firstname: name, user_lastname: name }).displayName).toBe('ada')
    const profile = profileWith({ user_name: name, user_gender: name })
    expect(profile).toMatchObject({ displayName: '' })
    expect(Object.keys(profile)).toEqual(Object.keys(profileWith({})))
  }
  expect(nameOf(`Ada${character}`)).toBe(`Ada${character}`)
})

test.each([...invisible, ['U+d800', '\ud800'], ['U+dc00', '\udc00']])(
  'an e-mail address with %s is left out: it looks like another one',
  (_code, character) => {
    for (const address of [`ada${character}@people.example`, `ada@people${character}.example`])
      expect(profileWith({ user_email: address })).not.toHaveProperty('emails')
  },
)

test('half of a surrogate pair does not reach a name, however it came about', () => {
  expect(nameOf('Ada\ud83d')).toBe('Ada')
  expect(nameOf('\ude00Ada')).toBe('Ada')
  expect(nameOf(`${'&#65;'.repeat(10)}${'\u{1f600}'.repeat(2100)}`)).not.toMatch(/\p{Cs}/u)
  expect(nameOf('\u{1f600}')).toBe('\u{1f600}')
})
