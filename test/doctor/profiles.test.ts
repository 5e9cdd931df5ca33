import type { RequestListener } from 'node:http'
import type { RecordedMode, SuggestedOptions } from '../../lib/doctor/examination'
import { examinePerson, isPerson } from '../../lib/doctor/person'
import { findingsOf, newExamination, useServers } from '../support/doctor'

// What the doctor tells, proposes and records of the profile that it reads with the token of a login.

const { serve } = useServers()
const TOKEN = 'token-canary-c0ffee51de'

/** What an endpoint answers: JSON with status 200, or a text with this status. */
type Answer = object | readonly [status: number, body: string]

interface Given {
  readonly me?: Answer
  /** The same as `me`, unless it is given. */
  readonly info?: Answer
  /** What the refusals of an invented token have suggested. */
  readonly options?: SuggestedOptions
  readonly mode?: RecordedMode
  readonly secret?: string
}

const ann = { user_id: 1, user_name: 'Ann' }

/** Reads the profile of a provider. `ORIGIN` in what it sends and in what is told is its own. */
async function read({ me = ann, info = me, options = {}, mode = {}, secret }: Given) {
  const listener: RequestListener = ({ url = '', headers }, response) => {
    const path = url.replace(/\?.*/, '')
    const isKnown = path.endsWith('/user/me')
      ? headers.authorization
      : new URL(url, origin).searchParams.get('access_token')
    if (isKnown?.replace('Bearer ', '') !== TOKEN) return void response.writeHead(401).end()
    const answer = path.endsWith('/user/me') ? me : info
    const [status, body] = Array.isArray(answer) && answer.length === 2 ? answer : [200, JSON.stringify(answer)]
    response.writeHead(Number(status)).end(String(body).replaceAll('ORIGIN', origin))
  }
  const baseURL = await serve(listener)
  const { origin } = new URL(baseURL)
  const progress: string[] = []
  const examination = newExamination(origin, { progress: (text) => progress.push(text), finding: () => {} })
  Object.assign(examination.options, { baseURL, ...options })
  Object.assign(examination.mode, mode)
  if (secret) examination.hide(secret)
  const response = await examinePerson(new URL(baseURL), TOKEN, examination)
  await examination.probe.close()
  expect(progress).toEqual(['Reading the profile'])
  const { baseURL: _, ...suggested } = examination.options
  const told = { findings: findingsOf(examination), options: suggested }
  const { findings, options: proposed } = JSON.parse(JSON.stringify(told).replaceAll(origin, 'ORIGIN'))
  return { findings, options: proposed, mode: examination.mode, isFound: response !== undefined }
}

const form = { htmlContentType: false, sessionCookie: false, scriptWarnings: false }
const plain: RecordedMode = { ...form, htmlAtStatus200: false, withoutUserMe: false, wrapUser: false }
const bare: RecordedMode = { ...plain, extraFields: false, blankPictures: false }
const GOOD = 'good Profile: The person was read.'

test.each<[title: string, Given, RecordedMode, findings?: string[]]>([
  ['as specified', {}, {}],
  ['the page of another token is forgotten', { mode: { htmlAtStatus200: true } }, {}],
  ['inside user_info', { me: { user_info: ann } }, { wrapUser: 'user_info' }, ways('the record is inside user_info')],
  ['inside data', { me: { data: ann } }, { wrapUser: 'data' }, ways('the record is inside data')],
  [
    'in all ways at once',
    { me: { data: { ...ann, user_verified: '0', user_name: 'Ann &amp; Bob' } } },
    { wrapUser: 'data', stringTypes: true, encodeEntities: true },
    ways('the record is inside data, all values are strings, names have HTML entities, which the profile decodes'),
  ],
  [
    'with a badge as a text',
    { me: { ...ann, user_verified: '1' } },
    { stringTypes: true },
    ways('all values are strings'),
  ],
  ['with an empty badge', { me: { ...ann, user_verified: '' } }, { stringTypes: false }],
  ['with a badge', { me: { ...ann, user_verified: false } }, { stringTypes: false }],
  ['with the number of a badge', { me: { ...ann, user_verified: 1 } }, { stringTypes: false }],
  ['with null as a badge', { me: { ...ann, user_verified: null } }, {}],
  ['without texts', { me: { user_id: 1, user_name: null, user_picture: null, user_cover: 7 } }, {}],
])('a record %s', async (_title, given, mode, findings = [GOOD]) => {
  expect(await read(given)).toStrictEqual({ findings, options: {}, mode: { ...bare, ...mode }, isFound: true })
})

function ways(text: string): string[] {
  return [`differs Profile: The person was read: ${text}. The strategy handles that.`]
}

test.each(['user_registered', 'user_relationship', 'user_biography', 'user_website', 'profile_picture'])(
  'the field %s is one that the specification does not have',
  async (name) => {
    const { mode } = await read({ me: { ...ann, [name]: null } })
    expect(mode).toStrictEqual({ ...bare, extraFields: true })
  },
)

test.each<[texts: string[], encodeEntities: boolean | undefined]>([
  [['A &#39; b', 'A &#x27; b', 'A &#xE9; b', 'A &#xff; b', 'A &eacute; b', 'A &Eacute; b', 'A &frac12; b'], true],
  [
    [
      '"',
      "O'Neil",
      '<',
      '>',
      'A & B',
      'Zoé',
      'Zoë',
      'A\u00a0B',
      '\u00ff',
      '&;',
      '&#;',
      '&#xz;',
      '&#x ;',
      '&a b;',
      '&é;',
    ],
    false,
  ],
  [['Ann', 'Зоя', 'ł', '\u0100', '#39;', 'a;', ' '], undefined],
])('whether names are encoded shows in %j: %s', async (texts, encodeEntities) => {
  for (const text of texts)
    for (const name of ['user_name', 'user_firstname', 'user_lastname', 'user_biography']) {
      const { mode } = await read({ me: { user_id: 1, [name]: text } })
      expect([text, mode.encodeEntities]).toEqual([text, encodeEntities])
    }
})

test('names of which one has an entity are encoded, whatever else is in them', async () => {
  const { mode } = await read({ me: { user_id: 1, user_firstname: "O'Neil", user_lastname: 'A&amp;B' } })
  expect(mode.encodeEntities).toBe(true)
})

const lost = (cure: string): string[] => [
  GOOD,
  `differs Pictures: Their paths are relative, and left out without a root. ${cure}.`,
]
const FIND = lost('Find the folder in the address of a picture at the provider, and give it as uploadsURL')
const GIVE = lost('Give uploadsURL')

describe('the pictures of a person', () => {
  test.each<[pictures: object, mode: RecordedMode, findings?: string[]]>([
    [{ user_picture: 'a.png' }, { relativePictures: true }, FIND],
    [{ user_cover: '/a.png' }, { relativePictures: true }, FIND],
    [{ user_picture: 'a//b.png' }, { relativePictures: true }, FIND],
    [{ user_picture: 'http:/a.png' }, { relativePictures: true }, FIND],
    [{ user_picture: 'ORIGIN/a.png', user_cover: 'a.png' }, { relativePictures: true }, FIND],
    [{ user_picture: 'https://cdn.example/a.png', user_cover: 'ORIGIN/a.png' }, { relativePictures: false }],
    [{ user_picture: 'ORIGIN' }, {}],
    [{ user_picture: 'ORIGIN.example/a.png' }, {}],
    [{ user_picture: '//cdn.example/a.png' }, {}],
    [{ user_picture: 'http://cdn.example/a.png' }, {}],
    [{ user_picture: 'HTTPS://CDN.EXAMPLE/a.png' }, {}],
    [{ user_picture: ' ', user_cover: '' }, {}],
    [{ user_picture: 7, user_cover: null }, {}],
  ])('%j', async (pictures, mode, findings = [GOOD]) => {
    const me = { ...ann, ...pictures }
    expect(await read({ me })).toStrictEqual({ findings, options: {}, mode: { ...bare, ...mode }, isFound: true })
  })

  const blank = { profile_picture: 'https://cdn.example/blank.png' }

  test.each<[pictures: object, isBlank: boolean]>([
    [{ user_picture: 'ORIGIN/a.png', ...blank }, true],
    [{ user_picture: 'ORIGIN/a.png', profile_picture: 'ORIGIN/a.png' }, false],
    [{ user_picture: ' ', ...blank }, false],
    [{ user_picture: null, ...blank }, false],
    [{ user_picture: 'ORIGIN/a.png', profile_picture: '' }, false],
    [{ user_picture: 'ORIGIN/a.png', profile_picture: null }, false],
    [{ user_picture: 'ORIGIN/a.png' }, false],
    [blank, false],
  ])('%j: whether it is one for everybody: %s', async (pictures, isBlank) => {
    expect((await read({ me: { ...ann, ...pictures } })).mode.blankPictures).toBe(isBlank)
  })

  const root = (folder: string, path = 'p/a.png') => ({ user_picture: path, profile_picture: `${folder}${path}` })

  test.each<[pictures: object, uploadsURL: string | undefined]>([
    [root('https://cdn.example/u/'), 'https://cdn.example/u/'],
    [root('HTTP://cdn.example/'), 'HTTP://cdn.example/'],
    [root('https://cdn.example/!"$-;=@A[z~/'), 'https://cdn.example/!"$-;=@A[z~/'],
    [root('ORIGIN/u/'), 'ORIGIN/u/'],
    [{ user_cover: 'c.png', profile_cover: 'https://cdn.example/u/c.png' }, 'https://cdn.example/u/'],
    [{ user_picture: 'a.png', ...blank, profile_cover: 'https://cdn.example/u/' }, 'https://cdn.example/u/'],
    [{ user_picture: 'a.png', profile_cover: 'https://cdn.example/u/' }, 'https://cdn.example/u/'],
    [{ user_picture: 'a.png', profile_cover: 'https://cdn.example/u' }, undefined],
    [{ user_cover: 'c.png', profile_picture: 'https://cdn.example/u/' }, undefined],
    [{ user_cover: 'c.png', profile_picture: 'https://cdn.example/undefined' }, undefined],
    [{ user_picture: 'a.png', ...blank }, undefined],
    [{ user_picture: 'a.png', profile_picture: 'https://cdn.example/aa.png' }, undefined],
    [{ user_picture: 'a.png', profile_picture: 7 }, undefined],
    [{ user_picture: 'a.png', profile_picture: '/u/a.png' }, undefined],
    [root('ftp://cdn.example/u/'), undefined],
    [root('xhttps://cdn.example/u/'), undefined],
    [root('https://cdn.example/?/'), undefined],
    [root('https://cdn.example/#/'), undefined],
    [root('https://cdn.example/ /'), undefined],
    [root('https://cdn.example/é/'), undefined],
    [root('https://cdn.example/', 'a b.png'), undefined],
    [root('https://cdn.example/', 'a.png?v=1'), undefined],
    [root('http://127.0.0.1:1/u/'), undefined],
    [root('http://localhost/u/'), undefined],
    [root('http://10.0.0.7/u/'), undefined],
    [root('http://[::1]:1/u/'), undefined],
    [root('http://[fd00::1]/u/'), undefined],
    [root('https://cdn.example/app-secret-canary/'), undefined],
    [root(`https://${'x'.repeat(300)}.example/`), undefined],
    [root(`https://cdn.example/${'x'.repeat(9000)}/`), undefined],
  ])('%j: the root of relative ones is %j', async (pictures, uploadsURL) => {
    const { findings, options } = await read({ me: { ...ann, ...pictures }, secret: 'app-secret-canary' })
    expect([findings, options]).toEqual(uploadsURL === undefined ? [FIND, {}] : [GIVE, { uploadsURL }])
  })
})

const REFUSED: Answer = [401, '{"error":true}']
const WARNED: Answer = [200, `Warning: ${JSON.stringify(ann)}`]
const WARNINGS =
  "broken Profile: The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors."
const USE_INFO = (answer: string): string =>
  `differs Profile: user/me answers the token of a login with ${answer}, and get_user_info with a person: use profileEndpoint 'get_user_info'. The token is then part of a URL.`
const TWO_PEOPLE =
  'broken Profile: The two profile endpoints answered with two people for one token: the provider is unsafe.'
const NOBODY = 'It has no usable user_id (a positive whole number, or 1 to 128 of the characters A-Z a-z 0-9 . _ : -).'
const get_user_info = { profileEndpoint: 'get_user_info' } as const

/** Nobody was found, but this. */
const nobody = (content: string, mode: RecordedMode = form) => ({
  findings: [`broken Profile: There was no person in the profile, but ${content}`],
  mode,
  isFound: false,
})

test.each<
  [title: string, Given, told: { findings?: string[]; options?: object; mode?: RecordedMode; isFound?: boolean }]
>([
  ['user/me, although an invented token suggested otherwise', { options: get_user_info }, {}],
  ['user/me alone', { info: REFUSED }, {}],
  [
    'get_user_info alone',
    { me: [404, '<p>No</p>'], info: ann },
    {
      findings: [USE_INFO('a page (status 404)'), GOOD],
      options: get_user_info,
      mode: { ...bare, withoutUserMe: true },
    },
  ],
  [
    'get_user_info alone, as an invented token suggested',
    { me: REFUSED, info: ann, options: get_user_info },
    { options: get_user_info, mode: { ...bare, withoutUserMe: true } },
  ],
  [
    'get_user_info alone, and there with warnings',
    { me: {}, info: WARNED },
    {
      findings: [USE_INFO('an empty object (status 200)'), WARNINGS],
      options: get_user_info,
      mode: { ...bare, withoutUserMe: true, scriptWarnings: true },
    },
  ],
  [
    'get_user_info alone, and there with an id of nobody',
    { me: REFUSED, info: { user_id: 0 }, options: get_user_info },
    {
      findings: ['broken Profile: Its user_id is none that the strategy accepts (see profile_invalid).'],
      options: get_user_info,
      mode: { ...bare, withoutUserMe: true },
    },
  ],
  [
    'user/me with warnings, and get_user_info without',
    { me: WARNED, info: ann },
    {
      findings: [USE_INFO('an object of user_id, user_name (status 200)'), GOOD],
      options: get_user_info,
      mode: { ...bare, withoutUserMe: true },
    },
  ],
  [
    'both with warnings',
    { me: WARNED, options: get_user_info },
    { findings: [WARNINGS], mode: { ...bare, scriptWarnings: true } },
  ],
  [
    'user/me with warnings alone',
    { me: WARNED, info: REFUSED, options: get_user_info },
    { findings: [WARNINGS], mode: { ...bare, scriptWarnings: true } },
  ],
  [
    'both with an id of nobody',
    { me: { user_id: 0 } },
    { findings: ['broken Profile: Its user_id is none that the strategy accepts (see profile_invalid).'] },
  ],
  ['both with two people', { info: { user_id: 2 } }, { findings: [GOOD, TWO_PEOPLE] }],
  ['both with one person, as a number and as a text', { info: { data: { user_id: '1' } } }, {}],
  ['neither', { me: {}, info: { a: 1 } }, nobody(`an empty object (status 200). ${NOBODY}`)],
  [
    'neither, where get_user_info was suggested',
    { me: {}, info: { a: 1 }, options: get_user_info },
    { ...nobody(`an object of a (status 200). ${NOBODY}`), options: get_user_info },
  ],
  [
    'neither, but an empty array',
    { me: [] },
    nobody('an empty array (status 200). It is a list instead of an object, as for a person who is banned or gone.', {
      ...form,
      goneUserAsEmptyArray: true,
    }),
  ],
  ['neither, but refusals', { me: REFUSED }, nobody('an object of error (status 401).')],
  [
    'neither, but refusals with a person',
    { me: { error: true, ...ann } },
    nobody('an object of error, user_id, user_name (status 200).'),
  ],
  [
    'neither, but pages',
    { me: [200, '<p>Hello</p>'], mode: { htmlAtStatus200: true } },
    nobody('a page (status 200).', { htmlAtStatus200: true }),
  ],
  [
    'neither at its usual place',
    { me: { response: { user: ann } } },
    nobody(
      'an object of response, response.user (status 200). The response has a user_id at response.user.user_id: let the option userRecord return its object.',
    ),
  ],
])('who has a person: %s', async (_title, given, { findings = [GOOD], options = {}, mode = bare, isFound = true }) => {
  expect(await read(given)).toStrictEqual({ findings, options, mode, isFound })
})

test.each([
  [{ user_id: 1 }, true],
  [{ data: { user_id: 'ann' } }, true],
  [{ user_id: 0 }, false],
  [{ data: { user_id: null } }, false],
  [{}, false],
  [null, false],
  [['user_id'], false],
])('%j is a person: %s', (json, is) => {
  expect(isPerson(json)).toBe(is)
})
