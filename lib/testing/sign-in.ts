import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { parseSetCookie } from 'cookie'
import { checkArguments } from '../values'
import { SIGN_IN } from './argument-kinds'
import { CookieBrowser } from './cookie-browser'
import { redirectURLWith } from './endpoints/oauth'
import { providerNavigation, sameOriginNavigation } from './navigation'
import type { FakeProvider } from './provider'
import { type Listener, type Method, type OpenBrowser, openBrowser, type TestBrowser } from './test-browser'
import type { Application, FakeUser, LoggedRequest } from './types'

type Headers = Record<string, string>
type Phase = 'start' | 'callback'

/**
 * Signs a user in to the application under test: its start, the approval at the provider, its callback. Sign several
 * users in one after another, because a refusal of another login in this process is taken for this user's.
 *
 * An application in another process is first asked for its callback without a key, to learn how it answers a failure.
 * @param browser what to sign in to: see {@link TestBrowser}. What this function starts, it stops.
 * @param options `start`: the path of the route that starts the login, by default `/auth/social-login`. `method`: that of
 *   its request, by default `GET`. `user`: who signs in, or the id, by default the provider's first user. `cookie`: the
 *   `Cookie` header of a user who is signed in already, as for the link of a second account; an agent has its own.
 * @returns where the callback redirects, or `''`, and the `Cookie` header of the user's next requests, which an agent
 *   sends by itself
 * @throws TypeError for another `browser`, or wrong options
 * @throws Error with cause and cure when the start does not redirect to this provider, or no one is signed in
 * @example
 * const { cookie } = await signIn(app, { provider })
 */
export async function signIn(browser: TestBrowser, options: SignInOptions): Promise<SignedIn>
export async function signIn(browser: Listener, options: SignInOptions): Promise<SignedIn>
export async function signIn(browser: TestBrowser | Listener, options: SignInOptions): Promise<SignedIn> {
  checkArguments('signIn', SIGN_IN, [browser, options])
  const { provider, start = '/auth/social-login' } = options
  const [application] = provider.applications
  const { origin } = new URL(application?.redirectURL ?? 'http://localhost')
  const opened = await openBrowser(browser, origin)
  try {
    return await signInBy(opened.send, { ...options, provider, start })
  } finally {
    await opened.stop()
  }
}

/** The result of {@link signIn}. */
interface SignedIn {
  /** Where the callback redirects, or `''`. */
  readonly location: string
  /** The `Cookie` header of the user's next requests; an agent sends it by itself. */
  readonly cookie: string
}

/**
 * Options of {@link signIn}.
 * @example
 * const options: SignInOptions = { provider, start: '/login', user: '1' }
 */
export interface SignInOptions {
  readonly provider: FakeProvider
  /** The path of the route that starts the login. Default `'/auth/social-login'`. */
  readonly start?: string | undefined
  /** How the start is requested. Default `'GET'`. */
  readonly method?: Method | undefined
  /** The `Cookie` header of a user who is signed in already, such as one that `signIn` has returned. */
  readonly cookie?: string | undefined
  /** Who signs in, or the id. Default: the provider's first user. */
  readonly user?: string | Pick<FakeUser, 'user_id'> | undefined
}

async function signInBy(
  browser: OpenBrowser['send'],
  {
    provider,
    start,
    method = 'GET',
    cookie = '',
    user = provider.users[0],
  }: SignInOptions & { readonly start: string },
): Promise<SignedIn> {
  const userID = typeof user === 'string' ? user : (user?.user_id ?? '')
  if (cookie !== '' && typeof browser !== 'function') throw new TypeError(`signIn: ${OWN_COOKIES}`)
  const cookies = new CookieBrowser(provider.clock)
  cookies.receive(cookie.split(/; */).filter(Boolean))
  const visit = (phase: Phase, path: string, headers: Headers, hint = ''): Promise<Answer> =>
    navigate(browser, { phase, method: phase === 'start' ? method : 'GET', path, headers, hint }, cookies)
  const started = await visit('start', start, sameOriginNavigation)
  const application = applicationOf(started, start, provider)
  const lost = lostCookie(started, typeof browser !== 'function')
  if (lost.endsWith(STRICT)) throw new Error(`signIn: ${lost}`)
  const authKey = provider.issueAuthKey({ appID: application.appID, userID })
  const { pathname, search } = new URL(redirectURLWith(authKey, application.redirectURL, provider.behaviours))
  const failed = started.isTraced ? undefined : await visit('callback', `${pathname}?auth_key=`, providerNavigation)
  const answer = await visit('callback', pathname + search, providerNavigation, lost)
  const problem = problemWith(answer, { failed, requests: requestsWith(authKey, provider), application, lost })
  if (problem === undefined) return { location: answer.location, cookie: cookies.header }
  const seen = `the callback ${pathname} answered ${answer.status}${firstLineOf(answer)}, and signed no one in: ${problem}`
  throw new Error(`signIn: ${seen}`.replaceAll(authKey, '...'))
}

const UNNAMED: Readonly<Record<string, string>> = {
  verify_refused: 'the verify function returned no user.',
  application_error: 'a function of the application, such as verify, failed: its error went to next(error).',
}
const OWN_COOKIES = 'an agent has cookies of its own: sign the user in with it first, and leave out cookie'
const LOG = 'see the log of the application (NODE_DEBUG=passport-social-login).'
const CALLBACK_CURE = `register a redirectURL with the path of the strategy's callbackURL, and ${LOG}`
const CONFIRM_PAGE =
  'the confirm page, because the request did not look like a click on a page of the application (pass on the headers that signIn gives; fetch of Node replaces Sec-Fetch-Mode).'

interface Answer {
  readonly status: number
  readonly location: string
  readonly text: string
  /** The `Set-Cookie` headers of the response, and whether one of them has another value than before. */
  readonly setCookies: readonly string[]
  readonly hasNewCookie: boolean
  /** Whether cookies were sent that were there before. */
  readonly hadCookies: boolean
  /** Whether the application runs in the process of the test, and this package handled the request. */
  readonly isTraced: boolean
}

interface Visit {
  readonly phase: Phase
  readonly method: Method
  readonly path: string
  readonly headers: Headers
  /** Why a login may not be found. */
  readonly hint: string
}

/** @throws Error when the application refuses the request, and runs in the process of the test */
async function navigate(browser: OpenBrowser['send'], visit: Visit, cookies: CookieBrowser): Promise<Answer> {
  const { phase, path, hint } = visit
  const ends: string[] = []
  const listener = (message: unknown): void => {
    const { code = '', error }: { code?: string; error?: Error } = Object(message)
    ends.push(
      error === undefined
        ? code && `${code}: ${UNNAMED[code] ?? 'see its log'}`
        : `${code}: ${error.message}${hint && code === 'login_not_started' ? ` Here, ${hint}` : ''}`,
    )
  }
  const channel = `tracing:passport-social-login:${phase}:asyncEnd`
  subscribe(channel, listener)
  const answer = await send(browser, visit, cookies).finally(() => unsubscribe(channel, listener))
  const refusals = ends.filter(Boolean)
  if (refusals.length === 0) return { ...answer, isTraced: ends.length > 0 }
  throw new Error(`signIn: the ${phase} ${path.split('?', 1).join()} ended with ${refusals.join()}`)
}

async function send(
  browser: OpenBrowser['send'],
  visit: Visit,
  cookies: CookieBrowser,
): Promise<Omit<Answer, 'isTraced'>> {
  const { phase, method, path, headers } = visit
  if (typeof browser !== 'function') {
    const request = method === 'GET' ? browser.get(path) : browser.post(path)
    const { status, headers: received, text = '', req } = await request.set(headers)
    const setCookies = [received['set-cookie'] ?? []].flat().map(String)
    const hadCookies = req?.getHeader('cookie') !== undefined
    const location = String(received['location'] ?? '')
    return { status, location, text, setCookies, hadCookies, hasNewCookie: cookies.receive(setCookies) }
  }
  const cookie = phase === 'start' ? cookies.header : cookies.crossSiteHeader
  const {
    status,
    headers: received,
    text,
  } = await read(await browser(path, { method, headers: { ...headers, cookie } }))
  const setCookies = received.getSetCookie()
  const hadCookies = cookie !== ''
  const location = received.get('location') ?? ''
  return { status, location, text, setCookies, hadCookies, hasNewCookie: cookies.receive(setCookies) }
}

async function read(response: Response): Promise<{ status: number; headers: globalThis.Headers; text: string }> {
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The application in whose name the start redirects to the provider. */
function applicationOf(started: Answer, start: string, provider: FakeProvider): Application {
  const { status, location, isTraced } = started
  const theStart = `signIn: the start ${start}`
  const [address = '', query] = location.split('?')
  if (address === '') {
    const answered = `${theStart} answered ${status}${firstLineOf(started)} and no redirect to the provider`
    const other = isTraced ? '' : "either it is not the strategy's route (give its path as start), or "
    const cure =
      status === 404
        ? "there is no such route (give your path as start, and method: 'POST' if a form posts to it)."
        : LOG
    throw new Error(`${answered}: ${status < 400 ? `${other}it is ${CONFIRM_PAGE}` : cure}`)
  }
  if (address !== `${provider.oauthBase}/oauth`) {
    const path = /^(https?:\/\/[^/]*)?(\/.*)$/.exec(address)?.[2]
    const isOwn = address === path || path?.replace(/\/$/, '') === start.replace(/\/$/, '')
    const cure = isOwn ? `if the strategy's route is there, give start: '${path}'.` : 'give the strategy its baseURL.'
    throw new Error(`${theStart} redirects to ${address}, not to this provider: ${cure}`)
  }
  const appID = new URLSearchParams(query).get('app_id')
  const application = provider.applications.find((each) => each.appID === appID)
  if (application !== undefined) return application
  throw new Error(`${theStart} names an application that is not registered here: give the strategy its clientID.`)
}

const STRICT = 'with SameSite=Strict, which no browser sends when the provider redirects back: set it to Lax.'

/** Why a browser, or an agent, may return without the cookie of the start; '' if there is no reason. */
function lostCookie({ setCookies, hadCookies }: Answer, isAgent: boolean): string {
  if (hadCookies) return ''
  const set = setCookies.map((line) => parseSetCookie(line))
  const names = set.map(({ name }) => name).join(', ')
  if (set.length === 0) return 'the start set no cookie: with `secure: true`, express-session sets none over http.'
  if (set.every(({ sameSite }) => sameSite === 'strict')) return `the start sets ${names} ${STRICT}`
  if (!isAgent || !set.every(({ secure }) => secure)) return ''
  return `the start sets ${names} with Secure: agents of supertest do not send that over http, as Safari does not on http://localhost.`
}

interface Evidence {
  /** The answer to a callback without a key, from an application in another process. */
  readonly failed: Answer | undefined
  /** What the application has asked the provider since it sent the key: the exchange, and what followed. */
  readonly requests: readonly LoggedRequest[]
  readonly application: Application
  readonly lost: string
}

/** The last exchange of a key, which may have been sent twice, and what followed it. */
function requestsWith(authKey: string, { requests }: FakeProvider): readonly LoggedRequest[] {
  const index = requests.findLastIndex(({ form, query }) => (form['auth_key'] ?? query['auth_key']) === authKey)
  return index === -1 ? [] : requests.slice(index)
}

/** Why no one is signed in; undefined if someone is. */
function problemWith(answer: Answer, { failed, requests, application, lost }: Evidence): string | undefined {
  const { appSecret } = application
  const [exchange] = requests
  const { status, isTraced, hasNewCookie } = answer
  if (exchange === undefined && status < 500) return lost || CALLBACK_CURE
  const secret = exchange?.form['app_secret'] ?? exchange?.query['app_secret'] ?? appSecret
  if (secret !== appSecret)
    return 'it exchanges keys with another secret than the registered one: give the strategy its clientSecret.'
  const refusal = refusalIn(requests)
  if (refusal !== undefined) return `the provider refused ${refusal}: ${LOG}`
  if (status >= 400) return LOG
  if (isTraced || failed === undefined || hasNewCookie || shapeOf(answer) !== shapeOf(failed)) return undefined
  return `it answered as without a key, and set no new cookie: the verify function may have refused the user, or threw an error; ${LOG}`
}

/** What the provider refused of an exchange and the profile requests after it, and how; undefined if nothing decisive. */
function refusalIn([exchange, ...later]: readonly LoggedRequest[]): string | undefined {
  if (exchange === undefined) return undefined
  if (isRefused(exchange)) return `the exchange (${reasonOf(exchange)})`
  const profiles = later.filter(({ endpoint }) => endpoint === 'user/me' || endpoint === 'get_user_info')
  // One endpoint may be refused before the other, and a request before it is repeated.
  const last = profiles.every(isRefused) ? profiles.at(-1) : undefined
  return last && `the profile (${reasonOf(last)})`
}

function isRefused({ error, status = 0 }: LoggedRequest): boolean {
  return error !== undefined || status >= 400
}

function reasonOf({ error, status }: LoggedRequest): string {
  return error ?? `status ${status}`
}

/** An answer without the values of its query, for a comparison with another. */
function shapeOf({ status, location }: Answer): string {
  return `${status} ${location.replace(/=[^&#]*/g, '')}`
}

/** The first line that a user would read of an error. */
function firstLineOf({ status, text }: Answer): string {
  if (status < 400) return ''
  const [, forOperator] = /<h2>For the operator.*?<p>(.*?)<\/p>/s.exec(text) ?? []
  const lines = (forOperator ?? text).replace(/<(title|style|script)>.*?<\/\1>|<[^>]*>/gs, '\n').split('\n')
  const line = lines.map((each) => each.trim()).find(Boolean)
  return line === undefined ? '' : ` ("${line.slice(0, 200)}")`
}
