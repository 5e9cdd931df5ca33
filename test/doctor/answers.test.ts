import { CHECKS } from '../../lib/doctor/findings'
import { useServers } from '../support/doctor'
import {
  type Answer,
  type Answers,
  APP_ID,
  answering,
  difference,
  examinedAt,
  HEX,
  KEY,
  type Login,
  PAGE,
  REFUSED,
  SECRET,
  TOKEN,
} from '../support/doctor-answers'

// What a provider may answer, and what the doctor reports, proposes and records: by codes, over HTTP.

const { serve } = useServers()
const seen = new Set<string>()

/** @returns what is reported, and by which methods the secret was sent */
async function examined(answers: Answers, appID?: string, login?: Login, path = '/api/v1') {
  const sent: string[] = []
  const baseURL = await serve(answering(answers, sent))
  const told = await examinedAt(new URL(path, baseURL).href, { appID }, login)
  for (const line of [...told.values()].flat()) seen.add(line.replace(/.* /, ''))
  return { told, sent: sent.join() }
}

/** What is reported differently from a working provider, in any order. */
async function told(answers: Answers, appID?: string): Promise<string[]> {
  const usual = await examined(appID === undefined ? {} : { otherPage: [404] }, appID)
  return difference((await examined(answers, appID)).told, usual.told)
}

const lines = (text: string): string[] => (text === '' ? [] : text.split(', ').sort())

const FIREWALL = { 'cf-mitigated': 'challenge' }
const NO_METHOD: Answer = [405]
const OTHERWISE: Answer = [400, { error: true }]
const WARNED: Answer = [401, 'Warning: {"error":true}']
const ID: Answer = [200, { user_id: 1 }]
const closed = (): undefined => undefined
const long = (length: number): Answer => [200, 'x'.repeat(length)]
const all = (answer: Answer): Answers => ({ post: answer, me: answer, info: answer })

test.each<[how: string, Answers, told: string]>([
  ['as specified', {}, ''],
  ['within status 200', all([200, { error: true }]), 'errorsAtStatus200: true'],
  ['with a cookie', all([401, {}, { 'set-cookie': 'a=1' }]), 'sessionCookie: true'],
  ['as JSON labeled as a page', all([401, {}, { 'content-type': 'Text/HTML; a' }]), 'htmlContentType: true'],
  ['behind a warning', { post: WARNED }, 'no Exchange, broken script_warnings'],
  ['with words of success', { post: [400, { success: true }] }, 'broken exchange_unreadable'],
  ['before other text', { post: [401, '{"error":true};'] }, 'differs exchange_unclear'],
  ['with other JSON', { post: [200, { status: 1 }] }, 'differs exchange_unclear'],
  ['without JSON', { post: [409, 'No'] }, 'differs exchange_unclear'],
  ['by JSON of 429', { post: [429, {}] }, 'broken exchange_rate_limited, no getOnly, no getAndPost'],
  ['by JSON of 410', { post: [410, {}] }, 'broken exchange_missing, no getOnly, no getAndPost'],
  ['by JSON of 500', { post: [500, {}] }, 'broken exchange_fails, no getOnly, no getAndPost'],
  ['by 599', { post: [599] }, 'broken exchange_fails, no getOnly, no getAndPost'],
  ['by a redirect', { post: [302, {}] }, 'broken exchange_redirects, no getOnly, no getAndPost'],
  ['by a page', { post: PAGE }, 'broken exchange_page, no getOnly, no getAndPost'],
  ['by a text of 1,000 characters', { post: long(1000) }, 'differs exchange_unclear'],
  ['by a longer one', { post: long(1001) }, 'broken exchange_other, no getOnly, no getAndPost'],
  ['by both methods', { post: NO_METHOD }, 'broken exchange_method, no getOnly, no getAndPost'],
  ['nowhere', { post: [404], get: [404] }, 'broken exchange_missing, no getOnly, no getAndPost'],
  ['in an unknown coding', { post: [400, 'x', { 'content-encoding': 'zstd' }] }, 'broken exchange_compressed'],
  ['by a firewall', { post: [403, {}, FIREWALL] }, 'broken exchange_blocked, no getOnly, no getAndPost'],
  ['as JSON under the mark of a firewall', { post: [200, { error: true }, FIREWALL] }, ''],
  ['by GET, where a POST fails', { post: [500], get: REFUSED }, 'broken exchange_fails, no getOnly, no getAndPost'],
  [
    'by GET, where a POST is not found',
    { post: [404], get: REFUSED },
    'differs exchange_by_get, getOnly: true, no getAndPost, exchangeMethod=get, postAnswer: not-found',
  ],
  [
    'by GET alone',
    { post: NO_METHOD, get: REFUSED },
    'differs exchange_by_get, getOnly: true, no getAndPost, exchangeMethod=get, postAnswer: method-not-allowed',
  ],
  [
    'otherwise than nothing by GET',
    { post: OTHERWISE, get: REFUSED, emptyGet: OTHERWISE },
    'differs exchange_by_get, getOnly: true, exchangeMethod=get, postAnswer: invalid-app-id',
  ],
  ['otherwise than nothing by POST', { get: OTHERWISE, emptyPost: OTHERWISE }, 'no getOnly'],
  [
    'otherwise than nothing by both',
    { get: REFUSED, emptyPost: OTHERWISE, emptyGet: OTHERWISE },
    'no getOnly, getAndPost: true',
  ],
  ['as nothing by both', { get: REFUSED }, 'no getOnly'],
  ['by a token for a POST', { post: [200, { access_token: 'abc' }] }, 'broken exchange_unsafe'],
  ['by a token for a GET', { get: [200, { access_token: 'abc' }] }, 'broken exchange_unsafe, no getOnly'],
  ['not at all', { post: closed }, 'broken exchange_unreachable, no getOnly, no getAndPost'],
])('an exchange of invented values is refused %s', async (_how, answers, expected) => {
  expect(await told(answers)).toEqual(lines(expected))
})

test.each([
  ['no application 4711', 'no application 12', true],
  ['no application 1a2b3c4d', 'no application 9F8E7D6C', true],
  ['no application 1a2b3c4', 'no application 9f8e7d6', false],
  ['no application', 'send app_id', false],
])('the answers "%s" and "%s" to a GET are alike: %s', async (one, other, isAlike) => {
  const telling = await told({ get: [400, one], emptyGet: [400, other] })
  expect(telling.includes('exchangeMethod=get')).toBe(!isAlike)
})

const INFO = 'profileEndpoint=get_user_info'

test.each<[what: string, Answers, told: string]>([
  ['no legacy endpoint', { info: [404] }, ''],
  ['a legacy endpoint that fails', { info: closed }, 'differs user_info_unreachable'],
  ['a refusal behind a warning', { me: WARNED }, 'scriptWarnings: true, broken profile_unreadable'],
  ['a refusal with a user', { me: [401, { user_id: 1 }] }, ''],
  ['other JSON', { me: [200, { status: 1 }], info: [404] }, 'no errorsAtStatus200, differs profile_unclear'],
  ['a refusal without JSON', { me: [401] }, 'differs profile_unclear'],
  ['a legacy endpoint alone', { me: [404] }, `differs profile_by_user_info, withoutUserMe: true, ${INFO}`],
  [
    'other JSON at a legacy endpoint alone',
    { me: [404], info: [200, { status: 1 }] },
    `differs profile_by_user_info, withoutUserMe: true, no errorsAtStatus200, ${INFO}`,
  ],
  ['words', { me: [200, 'Hello'] }, `differs profile_by_user_info, withoutUserMe: true, ${INFO}`],
  ['neither', { me: [404], info: [404] }, 'broken profile_missing, no withoutUserMe, no errorsAtStatus200'],
  [
    'two pages',
    { me: PAGE, info: PAGE },
    'htmlAtStatus200: true, no errorsAtStatus200, no withoutUserMe, broken profile_missing',
  ],
  [
    'two users',
    { me: ID, info: ID },
    'no errorsAtStatus200, no withoutUserMe, broken profile_unsafe, broken profile_unsafe',
  ],
])('to an invented token there is %s', async (_what, answers, expected) => {
  expect(await told(answers)).toEqual(lines(expected))
})

const to = (location: string): Answer => [302, '', { location }]
const times =
  (count: number) =>
  (path: string): Answer => {
    const at = Number(/sign-in(\d+)/.exec(path)?.[1] ?? 0)
    return at < count ? to(`/sign-in${at + 1}`) : [200]
  }
const NO_ID = 'no clientID'
const UNCLEAR = 'differs app_id_unclear, signInFirst: true'
let visits = 0

test.each<[what: string, Answers, told: string]>([
  ['refuses other ids', { otherPage: [400] }, ''],
  ['answers other ids with status 399', { otherPage: [399] }, 'no signInFirst'],
  ['has 64 characters more', { page: long(164), otherPage: long(100) }, 'no signInFirst'],
  ['has 63 characters less', { page: long(100), otherPage: long(163) }, UNCLEAR],
  ['redirects other ids elsewhere', { otherPage: times(1) }, 'no signInFirst'],
  ['limits other ids', { otherPage: [429] }, 'no Application'],
  ['fails for other ids', { otherPage: [500] }, 'no Application'],
  ['is behind a firewall for other ids', { otherPage: [403, '', FIREWALL] }, 'no Application'],
  ['is the same for all', {}, UNCLEAR],
  ['repeats the id', { page: (path) => [200, path.repeat(50)] }, UNCLEAR],
  ['is another at each visit', { page: () => long(100 * ++visits) }, UNCLEAR],
  ['refuses all', { page: [403] }, `broken app_id_refused, no Login page, ${NO_ID}`],
  ['refuses all as one that is missing', { page: [404] }, `broken app_id_refused, no Login page, ${NO_ID}`],
  [
    'is missing, as is the API',
    { page: [404], me: [404] },
    `broken login_page_missing, no Application, ${NO_ID}, differs profile_by_user_info, withoutUserMe: true, ${INFO}`,
  ],
  [
    'refuses this id',
    { page: [403], otherPage: [200] },
    `broken app_id_refused, no Login page, no signInFirst, ${NO_ID}`,
  ],
  ['fails', { page: [502] }, 'broken login_page_fails, no Application'],
  ['is limited', { page: [429] }, 'differs login_page_blocked, no Application'],
  ['is down', { page: [503], otherPage: [200] }, 'differs login_page_blocked, no Application, no signInFirst'],
  ['is behind a firewall', { page: [200, '', FIREWALL] }, 'differs login_page_blocked, no Application, no signInFirst'],
])('a login page, which is asked for an application, %s', async (_what, answers, expected) => {
  expect(await told(answers, APP_ID)).toEqual(lines(expected))
})

test.each<[what: string, Answers, told: string]>([
  ['refuses it', { page: [404] }, 'differs login_page_unknown, signInFirst: false'],
  ['fails', { page: [500] }, 'broken login_page_fails, signInFirst: false'],
  ['redirects five times', { page: times(5) }, ''],
  ['redirects six times', { page: times(6) }, 'broken login_page_unreachable'],
  ['redirects without an address', { page: [302] }, ''],
  ['redirects to nothing', { page: to('') }, 'broken login_page_unreachable'],
  ['redirects to an application', { page: to('app://login') }, 'broken login_page_unreachable'],
  ['redirects to a file', { page: to('file:///etc/passwd') }, 'broken login_page_unreachable'],
  ['redirects to a private address', { page: to('http://10.0.0.7/') }, 'differs login_page_far'],
  ['has large headers', { page: [200, '', { 'x-a': 'x'.repeat(40_000) }] }, 'differs login_page_far'],
  ['closes connections', { page: closed }, 'broken login_page_unreachable'],
])('a login page, which is asked for an unknown id, %s', async (_what, answers, expected) => {
  expect(await told(answers)).toEqual(lines(expected))
})

/** What is reported of a login differently from a usual one, and by which methods the secret was sent. */
async function toldOfLogin(answers: Answers, login: Login = {}): Promise<[told: string[], sent: string]> {
  const usual = await examined({}, undefined, {})
  const { told, sent } = await examined(answers, undefined, login)
  return [difference(told, usual.told), sent]
}

const NO_PERSON = 'no Speed, no wrapUser, no extraFields, no blankPictures'
const ended = (code: string): string =>
  `${code}, good profile_good, ${NO_PERSON}, no clientID, no hexCredentials, no redirectWithJSONBody`
const tokenOf = (access_token: string): Answer => [200, { access_token }]
const IN: Answer = tokenOf(TOKEN)
const leave = { allowGet: true }
const first = (...answers: readonly Answer[]): (() => Answer | undefined) => {
  let at = 0
  return () => answers[at++]
}
/** Nothing shows by which method values are read. */
const UNKNOWN: Answers = { get: OTHERWISE, key: REFUSED }
const GET_ONLY: Answers = { post: NO_METHOD, get: REFUSED, key: NO_METHOD }
const BY_GET =
  'differs exchange_by_get, exchangeMethod=get, getOnly: true, postAnswer: method-not-allowed, no getAndPost'

test.each<[what: string, Answers, Login, told: string, sent?: string]>([
  ['needs an address', {}, { address: undefined }, ended('broken login_not_tried, no Callback'), ''],
  ['works by POST, although nothing shows it', { get: OTHERWISE }, {}, ''],
  [
    'works with an id that the login page refuses',
    { page: [404] },
    {},
    'differs login_page_unknown, signInFirst: false',
  ],
  [
    'works by POST, although a GET was suggested',
    { ...GET_ONLY, key: IN },
    {},
    'differs exchange_by_get, no getAndPost',
  ],
  ['works by GET, as was suggested', { ...GET_ONLY, keyByGet: IN }, leave, BY_GET, 'POST,GET'],
  ['needs leave for a GET', { ...GET_ONLY, keyByGet: IN }, {}, ended(`differs login_needs_get, ${BY_GET}`)],
  ['is refused by GET, too', GET_ONLY, leave, ended(`broken login_refused, ${BY_GET}`), 'POST,GET'],
  [
    'works by GET alone',
    { ...UNKNOWN, keyByGet: IN },
    leave,
    'differs login_by_get, exchangeMethod=get, getOnly: true, postAnswer: invalid-app-id',
    'POST,GET',
  ],
  ['is refused by POST', UNKNOWN, {}, ended('broken login_refused, no getOnly')],
  ['is refused by both methods', UNKNOWN, leave, ended('broken login_refused, no getOnly'), 'POST,GET'],
  ['is refused', { key: REFUSED }, leave, ended('broken login_refused')],
  ['is refused by a page', { key: [403, '<p>No</p>'] }, leave, ended('broken login_refused')],
  ['meets a page', { ...UNKNOWN, key: PAGE }, leave, ended('broken login_unanswered, no getOnly')],
  ['meets other JSON', { key: [200, { token: 1 }] }, leave, ended('broken login_unanswered')],
  // The connection had been used before, so that another may be tried.
  ['meets a closed connection', { key: closed }, leave, ended('broken login_unreachable'), 'POST,POST'],
  [
    'meets a token in a redirect',
    { key: [302, { access_token: TOKEN }] },
    {},
    'broken login_redirected, redirectWithJSONBody: true',
  ],
  [
    'meets a number, which is nobody’s token',
    { key: [200, { access_token: 12_345_678 }] },
    {},
    `broken person_missing, good profile_good, ${NO_PERSON}`,
  ],
  ['meets a warning', { key: [200, `Warning: {"access_token":"${TOKEN}"}`] }, {}, 'broken login_unreadable'],
  ['comes from another site', {}, { referer: 'https://b.example/' }, 'differs key_from_elsewhere, good key_received'],
  ['has a used key', {}, { spendTwice: true }, 'broken key_used_twice', 'POST,POST'],
  [
    'has a used key that is refused',
    { key: first(IN, REFUSED) },
    { spendTwice: true },
    'good key_used_once',
    'POST,POST',
  ],
  [
    'has a used key that is refused by a page',
    { key: first(IN, [403, '<p>No</p>']) },
    { spendTwice: true },
    'good key_used_once',
    'POST,POST',
  ],
  [
    'has a used key and a failure',
    { key: first(IN, [500]) },
    { spendTwice: true },
    'differs key_use_unclear',
    'POST,POST',
  ],
  ['has a used key and a page', { key: first(IN, PAGE) }, { spendTwice: true }, 'differs key_use_unclear', 'POST,POST'],
  [
    'has a used key by GET',
    { ...GET_ONLY, keyByGet: IN },
    { ...leave, spendTwice: true },
    `broken key_used_twice, ${BY_GET}`,
    'POST,GET,GET',
  ],
])('a login %s', async (_what, answers, login, expected, sent = 'POST') => {
  expect(await toldOfLogin(answers, login)).toStrictEqual([lines(expected), sent])
})

test('an application id that its login page refuses is proposed again after a login with it', async () => {
  const { told } = await examined({ page: [404] }, APP_ID, {})
  expect([told.get('Application'), told.get('clientID')]).toStrictEqual([
    ['differs app_id_refused'],
    [`clientID=${APP_ID}`],
  ])
})

const ofLength = (length: number): string => `http://a.example/cb?auth_key=${KEY}&x=`.padEnd(length, 'x')
const NO_KEY = ended('broken key_missing, no Login')
const SPLIT = 'escapeRedirectAmpersands: false'

test.each<[address: string, told: string]>([
  [` \t\u00a0http://a.example/cb?auth_key=${KEY}\u00a0\r\n`, ''],
  [`http://a.example/cb?auth_key=${KEY}#top`, 'appendAuthKeyBlindly: false'],
  [`http://a.example/cb?auth_key=${KEY}&b=2`, SPLIT],
  [`http://a.example/cb?auth_key=${KEY}&amp;b=2`, 'escapeRedirectAmpersands: true'],
  [`http://a.example/cb?a=1&auth_key=${KEY}`, `appendAuthKeyBlindly: false, ${SPLIT}`],
  [
    `http://a.example/cb?a=1&amp;auth_key=${KEY}`,
    'broken key_unreadable, appendAuthKeyBlindly: false, escapeRedirectAmpersands: true',
  ],
  [`http://a.example/cb?a=1?auth_key=${KEY}`, 'broken key_unreadable, appendAuthKeyBlindly: true'],
  [`http://a.example/cb#top?auth_key=${KEY}`, 'broken key_unreadable, appendAuthKeyBlindly: true'],
  [`http://a.example/cb?auth_key=${HEX}`, 'hexCredentials: true'],
  [ofLength(4096), SPLIT],
  [ofLength(4097), NO_KEY],
  ['', NO_KEY],
  [`cb?auth_key=${KEY}`, NO_KEY],
  [`http://?auth_key=${KEY}`, NO_KEY],
  ['http://a.example/cb?auth_key=#top', NO_KEY],
  ['http://a.example/cb?my_auth_key=key-1', NO_KEY],
])('a login whose browser returned to %.80j', async (address, expected) => {
  const [told] = await toldOfLogin({ key: tokenOf(address.includes(HEX) ? HEX : TOKEN) }, { address })
  expect(told).toEqual(lines(expected))
})

const person = (more: object): Answers => ({ person: [200, { user_id: 1, ...more }] })
const INFO_ALONE = `differs profile_by_user_info, good person_good, good profile_good, withoutUserMe: true, ${INFO}`
const MANY = 'differs person_differs, good profile_good'
const NOBODY = `broken person_missing, good profile_good, ${NO_PERSON}`

test.each<[who: string, Answers, told: string]>([
  ['in user_info', person({ user_info: { user_id: 1 }, user_id: undefined }), `${MANY}, wrapUser: user_info`],
  ['in data', person({ data: { user_id: 1 }, user_id: undefined }), `${MANY}, wrapUser: data`],
  ['with a badge as a text', person({ user_verified: '0' }), `${MANY}, stringTypes: true`],
  ['with an empty badge', person({ user_verified: '' }), 'stringTypes: false'],
  ['with a badge', person({ user_verified: true }), 'stringTypes: false'],
  ['without a badge', person({ user_verified: null }), ''],
  ['with an entity', person({ user_biography: 'a &frac12; b' }), `${MANY}, encodeEntities: true, extraFields: true`],
  ['with a number of one', person({ user_firstname: "O'", user_name: '&#x27;' }), `${MANY}, encodeEntities: true`],
  ['with an apostrophe', person({ user_lastname: "O'Neil" }), 'encodeEntities: false'],
  ['with other letters', person({ user_name: 'Зоя &; &#; #39; ł' }), 'encodeEntities: false'],
  ['at get_user_info alone', { person: [404], personByInfo: ID }, INFO_ALONE],
  [
    'at get_user_info, and at user/me behind warnings',
    { person: [200, 'x {"user_id":1}'], personByInfo: ID },
    INFO_ALONE,
  ],
  ['at get_user_info, where user/me has none', { person: [200, {}], personByInfo: ID }, INFO_ALONE],
  [
    'at get_user_info, where user/me refuses it',
    { person: REFUSED, personByInfo: ID },
    INFO_ALONE.replace('profile_by_user_info', 'authorization_removed'),
  ],
  ['at user/me alone', { personByInfo: REFUSED }, ''],
  ['at user/me, although another was suggested', { me: [404] }, 'differs profile_by_user_info, good person_good'],
  [
    'behind warnings',
    { person: [200, 'x {"user_id":1}'] },
    'broken person_unreadable, good profile_good, scriptWarnings: true',
  ],
  ['with the id 0', person({ user_id: 0 }), 'broken person_id_invalid, good profile_good'],
  [
    'and another',
    { personByInfo: [200, { user_id: 2 }] },
    'broken person_ambiguous, good person_good, good profile_good',
  ],
  ['as a text, and as a number', { personByInfo: [200, { data: { user_id: '1' } }] }, ''],
  ['who is none', { person: [200, {}] }, NOBODY],
  ['who is an array', { person: [200, []] }, `${NOBODY}, goneUserAsEmptyArray: true`],
  ['who is a refusal', { person: [200, { error: true, user_id: 1 }] }, NOBODY],
  ['who is elsewhere', { person: [200, { response: { user: { user_id: 1 } } }] }, NOBODY],
  ['who is a page', { person: PAGE }, NOBODY],
])('the token of a login gets a user %s', async (_who, answers, expected) => {
  expect(await toldOfLogin(answers)).toStrictEqual([lines(expected), 'POST'])
})

const FIND = 'differs pictures_relative, relativePictures: true'
const CDN = 'https://cdn.example/u/'
const EXTRA = `extraFields: true, ${FIND}`

test.each<[pictures: object, told: string]>([
  [{ user_picture: 'a.png' }, FIND],
  [{ user_cover: 'a//b.png', user_picture: 'ORIGIN/a.png' }, FIND],
  [{ user_picture: `${CDN}a.png`, user_cover: 'ORIGIN/a.png' }, 'relativePictures: false'],
  [{ user_picture: '//cdn.example/a.png', user_cover: 'HTTPS://CDN.EXAMPLE/a.png' }, ''],
  [{ user_picture: 'ORIGIN.example/a.png', user_cover: 7 }, ''],
  [{ user_picture: 'p/a.png', profile_picture: `${CDN}p/a.png` }, `uploadsURL=${CDN}, ${EXTRA}`],
  [{ user_picture: 'a.png', profile_picture: 'ORIGIN/u/a.png' }, `uploadsURL=ORIGIN/u/, ${EXTRA}`],
  [{ user_cover: 'c.png', profile_cover: `${CDN}c.png` }, `uploadsURL=${CDN}, ${FIND}`],
  [
    { user_picture: 'a.png', profile_picture: 'https://cdn.example/blank.png', profile_cover: CDN },
    `uploadsURL=${CDN}, blankPictures: true, ${EXTRA}`,
  ],
  [{ user_picture: 'a.png', profile_picture: 'https://cdn.example/aa.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: 'ftp://cdn.example/u/a.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: 'https://cdn.example/?/a.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: 'https://cdn.example/é/a.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: 'http://10.0.0.7/u/a.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: 'http://[::1]:1/u/a.png' }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: `https://cdn.example/${SECRET}/a.png` }, EXTRA],
  [{ user_picture: 'a.png', profile_picture: `https://${'x'.repeat(300)}.example/a.png` }, EXTRA],
])('the pictures %j', async (pictures, expected) => {
  const [told] = await toldOfLogin(person(pictures))
  expect(told).toEqual(lines(expected))
})

const moved = (location: string): Answers => ({ me: (path) => (path.startsWith('/old') ? to(location) : REFUSED) })
const movedOften = (count: number): Answers => ({
  me: (path) => {
    const at = Number(/\/old(\d*)/.exec(path)?.[1] ?? count)
    return at < count ? to(`/old${at + 1}/v1/user/me`) : REFUSED
  },
})
const gone = (path: string): Answer => (path.startsWith('/old') ? [404] : REFUSED)

test.each<[what: string, Answers, ...told: string[]]>([
  ['a redirect', moved('/new/v1/user/me'), 'differs address_redirects', 'baseURL=ORIGIN/new/v1'],
  ['five redirects', movedOften(5), 'differs address_redirects', 'baseURL=ORIGIN/old5/v1'],
  ['six redirects', movedOften(6), 'broken address_circle'],
  ['a file', moved('file:///etc/passwd'), 'broken address_no_web'],
  ['a redirect without an address', { me: [302] }, 'broken address_no_web'],
  ['a private address', moved('http://10.0.0.7/api/v1/user/me'), 'broken address_private'],
  ['another path', { me: gone, info: gone, post: gone, get: gone }, 'broken path_wrong', 'baseURL=ORIGIN/api/v1'],
  ['a firewall', { me: first([403], REFUSED) }, 'differs user_agent_refused'],
])('at an address with %s', async (_what, answers, ...expected) => {
  const { told } = await examined(answers, undefined, undefined, '/old/api/v1')
  expect([...told.values()].flat()).toEqual(expect.arrayContaining(expected))
})

test('each code is the result of an answer here, or a connection of another test', () => {
  const elsewhere =
    /^(certificate_.*|http2_only|address_insecure|plain_http|proxy_needed|provider_unreachable|speed_slow|login_page_other_origin)$/
  expect(Object.keys(CHECKS).filter((code) => !seen.has(code) && !elsewhere.test(code))).toStrictEqual([])
})
