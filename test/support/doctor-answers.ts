import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { type DoctorInput, examine } from '../../lib/doctor/doctor'
import type { Examination } from '../../lib/doctor/examination'

// For the table of a provider's answers: an examination over HTTP, and what it reports.

export const KEY = 'key-canary-77aa0b1c'
export const SECRET = 'secret-canary-5c1e9a7f'
export const TOKEN = 'token-canary-c0ffee51de'
export const HEX = '0123456789abcdef0123456789abcdef'
export const APP_ID = 'app-7'

export type Answer = readonly [status: number, body?: object | string, headers?: Readonly<Record<string, string>>]

/** Undefined closes the connection. */
type Some = Answer | ((path: string) => Answer | undefined)

export const REFUSED: Answer = [401, { error: true }]
export const PAGE: Answer = [200, '<p>Hello</p>']
const ANN: Answer = [200, { user_id: 1, user_name: 'Ann' }]

/** What a working provider answers. */
const working = {
  /** The login page of the application, and of any other. */
  page: [200, '<form>'] as Some,
  otherPage: undefined as Some | undefined,
  /** An exchange of invented values, and of none. */
  post: REFUSED as Some,
  get: [405, ''] as Some,
  emptyPost: undefined as Some | undefined,
  emptyGet: undefined as Some | undefined,
  /** The profile of an invented token. */
  me: REFUSED as Some,
  info: REFUSED as Some,
  /** The key and the token of a login. */
  key: [200, { access_token: TOKEN }] as Some,
  keyByGet: REFUSED as Some,
  person: ANN as Some,
  personByInfo: undefined as Some | undefined,
}

export type Answers = Partial<typeof working>

function answerTo(request: IncomingMessage, content: string, given: typeof working): Some {
  const { method, url = '' } = request
  if (url.includes('/authorize')) {
    const isEmpty = !content.includes('app_id=')
    if (content.includes(`app_secret=${SECRET}`)) return method === 'POST' ? given.key : given.keyByGet
    if (method === 'POST') return (isEmpty ? given.emptyPost : undefined) ?? given.post
    return (isEmpty ? given.emptyGet : undefined) ?? given.get
  }
  const isKnown = content.includes(TOKEN) || content.includes(HEX)
  if (url.includes('/user/me')) return isKnown ? given.person : given.me
  if (url.includes('/get_user_info')) return isKnown ? (given.personByInfo ?? given.person) : given.info
  return url.includes('/oauth?') && !url.includes(APP_ID) ? (given.otherPage ?? given.page) : given.page
}

/** A provider that answers so. `ORIGIN` in its bodies is its own. @param sent each request with the secret, by method */
export function answering(answers: Answers, sent: string[]): RequestListener {
  const given = { ...working, ...answers }
  return async (request, response) => {
    const content = `${request.url} ${request.headers.authorization} ${await text(request)}`
    if (content.includes(SECRET)) sent.push(request.method ?? '')
    const some = answerTo(request, content, given)
    const answer = typeof some === 'function' ? some(request.url ?? '') : some
    if (answer === undefined) return void request.socket.destroy()
    const [status, body = '', headers = {}] = answer
    const written = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, headers).end(written.replaceAll('ORIGIN', `http://${request.headers.host}`))
  }
}

/** How someone logs in; by default, with the key, and without permission to send the secret in a URL. */
export interface Login {
  readonly address?: string | undefined
  readonly referer?: string
  readonly allowGet?: boolean
  readonly spendTwice?: boolean
}

export function inputOf(login: Login): DoctorInput['login'] {
  const { allowGet = false, spendTwice = false, referer } = login
  const driver = {
    logIn: async () => ('address' in login ? login.address : `http://a.example/cb?auth_key=${KEY}`),
    mayExchangeByGet: async () => allowGet,
    ...(referer !== undefined && { referer: () => referer }),
  }
  return { appID: APP_ID, appSecret: SECRET, spendTwice, driver }
}

/** Each finding, each option and each recorded behaviour as a line, by what it is about. */
type Told = ReadonlyMap<string, readonly string[]>

function toldOf({ findings, options, mode }: Examination, origin: string): Told {
  const lines = [
    ...findings.map(({ check, level, code }) => [check, `${level} ${code}`] as const),
    ...Object.entries(options).map(([name, value]) => [name, `${name}=${value}`.replaceAll(origin, 'ORIGIN')] as const),
    ...Object.entries(mode).map(([name, value]) => [name, `${name}: ${value}`] as const),
  ]
  const told = new Map<string, string[]>()
  for (const [about, line] of lines) told.set(about, [...(told.get(about) ?? []), line])
  return told
}

/** What is reported differently from a working provider; `no X` for what is not reported at all. */
export function difference(told: Told, usual: Told): string[] {
  const names = [...new Set([...usual.keys(), ...told.keys()])]
  const changed = names.filter((name) => String(told.get(name)) !== String(usual.get(name)))
  return changed.flatMap((name) => told.get(name) ?? [`no ${name}`]).sort()
}

/** Asks the doctor about a provider at an address. */
export async function examinedAt(address: string, more: Partial<DoctorInput>, login?: Login): Promise<Told> {
  const input = { baseURL: new URL(address), userAgent: 'test', timeout: 5000, hasProxy: false, ...more }
  const observer = { progress: () => {}, finding: () => {} }
  const examination = await examine({ ...input, login: login && inputOf(login) }, observer)
  return toldOf(examination, input.baseURL.origin)
}
