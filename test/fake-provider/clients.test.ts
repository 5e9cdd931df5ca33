import { parse } from '@babel/parser'
import { type Application, asDeployed, FakeProvider, type ProviderBehaviours } from '../../lib/testing'
import { ask, post, signInAs, tokenFor } from '../support/provider-http'

// What public clients of this protocol send and read, against the servers that they were made for.

const MODES = {
  // Versions 4.0.4 to 4.2.
  stock: asDeployed,
  // To about 3.13, and to 3.7.
  old: { ...asDeployed, getOnly: true, withoutUserMe: true },
  older: { ...asDeployed, getOnly: true, withoutUserMe: true, blankPictures: true },
  // Some sites.
  patched: { ...asDeployed, getAndPost: true, oauth2Path: true },
  folder: { ...asDeployed, inFolder: true },
} satisfies Record<string, ProviderBehaviours>

type Mode = keyof typeof MODES

interface Client {
  readonly login?: string
  readonly exchange: readonly [how: 'form' | 'multipart' | 'query', path?: string]
  readonly profile: readonly [how: 'query' | 'query of a POST' | 'form' | 'header', path?: string]
  /** The members that it reads of the user. */
  readonly reads: readonly string[]
  /** Where users sign in with it. */
  readonly works: readonly Mode[]
}

const POSTING: readonly Mode[] = ['stock', 'patched', 'folder']
const GETTING: readonly Mode[] = ['old', 'older', 'patched']
const NAMES = ['user_id', 'user_name', 'user_email', 'user_firstname', 'user_lastname']

const clients: Record<string, Client> = {
  'PHP, cURL with an array': { exchange: ['multipart'], profile: ['query'], reads: NAMES, works: POSTING },
  'PHP, cURL with a string': { exchange: ['form'], profile: ['query'], reads: NAMES, works: POSTING },
  'PHP, a URL with a query': { exchange: ['query'], profile: ['query'], reads: NAMES, works: GETTING },
  'PHP, slashes at the end': {
    exchange: ['form', '/authorize/'],
    profile: ['query', '/get_user_info/'],
    reads: ['user_id', 'profile_picture'],
    works: POSTING,
  },
  'WordPress, by POST': { exchange: ['form'], profile: ['query'], reads: [...NAMES, 'user_picture'], works: POSTING },
  'WordPress, by GET': { exchange: ['query'], profile: ['query'], reads: ['user_id', 'user_email'], works: GETTING },
  'PHP, the token in a POST': {
    exchange: ['form'],
    profile: ['query of a POST'],
    reads: ['user_id', 'user_verified'],
    works: POSTING,
  },
  'Node, the token in a form': {
    exchange: ['form'],
    profile: ['form'],
    reads: ['user_id', 'user_cover'],
    works: POSTING,
  },
  'a script, FormData': {
    exchange: ['multipart'],
    profile: ['query'],
    reads: [...NAMES, 'user_gender'],
    works: POSTING,
  },
  'a site with oauth2': {
    login: '/oauth2',
    exchange: ['form'],
    profile: ['query'],
    reads: ['user_id', 'user_website', 'user_registered'],
    works: ['patched'],
  },
  'the specification': {
    exchange: ['form'],
    profile: ['header', '/v1/user/me'],
    reads: [...NAMES, 'user_gender', 'user_birthdate', 'user_picture', 'user_cover', 'user_verified'],
    works: POSTING,
  },
  'this package, for old servers': { exchange: ['query'], profile: ['query'], reads: NAMES, works: GETTING },
}

let provider: FakeProvider
let application: Application

async function start(mode: ProviderBehaviours): Promise<void> {
  provider = await FakeProvider.start({ mode })
  application = provider.registerApplication({ name: 'App', redirectURL: 'http://localhost:3000/cb' })
}
afterEach(() => provider.stop())

/** A request that a client makes, with its parameters where it puts them. */
async function send(how: string, path: string, parameters: Record<string, string>, token = '') {
  const url = provider.oauthBase + path
  const query = new URLSearchParams(parameters)
  const form = new FormData()
  for (const [name, value] of Object.entries(parameters)) form.append(name, value)
  if (how === 'form') return ask(url, { method: 'POST', body: query })
  if (how === 'multipart') return ask(url, { method: 'POST', body: form })
  if (how === 'header') return ask(url, { headers: { authorization: `Bearer ${token}` } })
  return ask(`${url}?${query}`, { method: how === 'query of a POST' ? 'POST' : 'GET' })
}

/** The user as a client reads it; undefined where it gets none. */
async function signIn({ login = '/oauth', exchange, profile }: Client): Promise<Record<string, unknown> | undefined> {
  const { appID, appSecret } = application
  const cookie = await signInAs(provider, '1')
  const page = await ask(`${provider.oauthBase}${login}?app_id=${appID}`, { headers: { cookie } })
  if (!page.text.includes('would like to sign you in')) return undefined
  const keys = { app_id: appID, app_secret: appSecret, auth_key: provider.issueAuthKey({ appID, userID: '1' }) }
  const [how, path = '/authorize'] = exchange
  const { access_token: token } = JSON.parse((await send(how, path, keys)).text)
  if (typeof token !== 'string') return undefined
  const [where, endpoint = '/get_user_info'] = profile
  return JSON.parse((await send(where, endpoint, { access_token: token }, token)).text).user_info
}

const rows = Object.entries(clients).flatMap(([title, client]) =>
  Object.entries(MODES).map(([name, mode]) => ({
    title,
    client,
    name,
    mode,
    works: client.works.some((one) => one === name),
  })),
)

test.each(rows)('$title against a server that is $name: whether a user signs in is $works', async (row) => {
  await start(row.mode)
  const person = await signIn(row.client)
  expect(Object.keys(person ?? {})).toEqual(row.works ? expect.arrayContaining([...row.client.reads]) : [])
})

test.each(rows.filter(({ works }) => works))('$title gets no user by the specification alone', async ({ client }) => {
  await start({ ...asDeployed, looseRequests: false, wrapUser: 'user_info', getOnly: client.exchange[0] === 'query' })
  const isUsual =
    client.login === undefined && !/\/$/.test(client.exchange[1] ?? '') && client.exchange[0] !== 'multipart'
  const isUsualProfile = ['query', 'header'].includes(client.profile[0])
  expect((await signIn(client)) !== undefined).toBe(isUsual && isUsualProfile)
})

test('a user who is not signed in is asked to sign in, for any application id, and learns afterwards that it is unknown', async () => {
  await start(asDeployed)
  for (const query of ['', '?app_id=1', '?app_id=1&app_id=2', `?app_id=${application.appID}`]) {
    const { status, text } = await ask(`${provider.oauthBase}/oauth${query}`)
    expect([status, text]).toStrictEqual([200, expect.stringContaining('name="user_id"')])
  }
  const signedIn = await post(`${provider.origin}/sign-in`, { user_id: '1', app_id: 'nobody' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1).join() ?? ''
  const location = new URL(signedIn.headers.get('location') ?? '', provider.origin)
  const { status, text } = await ask(location.href, { headers: { cookie } })
  expect([status, text]).toStrictEqual([200, expect.stringContaining('No application has this app_id')])
})

test.each([
  ['a user with a picture', {}, { user_picture: 'pictures/9.svg', profile_picture: 'ROOTpictures/9.svg' }],
  ['a user without one', { user_picture: null }, { user_picture: null, profile_picture: 'BLANK' }],
  ['everyone on an old server', {}, { user_picture: 'pictures/9.svg', profile_picture: 'BLANK' }],
])('the pictures of %s are where the record says', async (title, fields, expected) => {
  await start({ ...asDeployed, blankPictures: title.includes('old server') })
  provider.addUser({ user_id: '9', ...fields })
  const token = await tokenFor(provider, application, '9')
  const { user_info } = JSON.parse((await ask(`${provider.oauthBase}/get_user_info?access_token=${token}`)).text)
  const { user_picture, profile_picture, profile_cover } = user_info
  const absolute = expected.profile_picture
    .replace('ROOT', profile_cover)
    .replace('BLANK', `${provider.origin}/images/blank.svg`)
  expect({ user_picture, profile_picture }).toEqual({ ...expected, profile_picture: absolute })
  const urls = [profile_picture, ...(user_picture === null ? [] : [profile_cover + user_picture])]
  for (const url of urls) expect((await ask(url)).headers.get('content-type')).toBe('image/svg+xml')
})

/** A name as Babel's JSX reads an entity in it. Its table is that of XHTML: the names of HTML 4.01, and `apos`. */
function decode(text: string): string {
  const [statement] = parse(`<a>${text}</a>`, { plugins: ['jsx'] }).program.body
  if (statement?.type !== 'ExpressionStatement' || statement.expression.type !== 'JSXElement') throw new Error(text)
  return statement.expression.children.map((child) => (child.type === 'JSXText' ? child.value : '?')).join('')
}

test('names are encoded by the 252 names of HTML 4.01, and all other characters stay as they are', async () => {
  await start(asDeployed)
  const all = Array.from({ length: 0xd7ff }, (_, at) => String.fromCharCode(at + 1)).filter((one) =>
    /[^\p{Cc}{}]/u.test(one),
  )
  provider.addUser({ user_id: '9', user_firstname: all.join(''), user_lastname: 'Зоя Ωμέγα 🙂 ł &amp;' })
  const token = await tokenFor(provider, application, '9')
  const { user_info } = JSON.parse((await ask(`${provider.oauthBase}/get_user_info?access_token=${token}`)).text)
  const entities = user_info.user_firstname.match(/&\w+;/g)
  expect([entities.length, new Set(entities).size]).toStrictEqual([252, 252])
  expect(user_info.user_firstname.match(/&#?\w+;/g)).toHaveLength(253)
  expect(user_info.user_firstname.match(/&#\w+;/g)).toStrictEqual(['&#039;'])
  expect(decode(user_info.user_firstname.replace('&#039;', "'"))).toBe(all.join(''))
  expect(user_info.user_lastname).toBe('Зоя &Omega;&mu;έ&gamma;&alpha; 🙂 ł &amp;amp;')
})
