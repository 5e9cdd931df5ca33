import type { IncomingMessage } from 'node:http'
import { isAuthKey } from '../client/auth-key'
import type { OutcomeCode, Phase } from '../errors'
import { TAB_PARAMETER } from './tab-binding'
import { parseURL } from '../client/url'

/** What the browser's request is told by. */
export interface RequestRules {
  readonly callbackPath: string
  /** The application's own origin; undefined where only the `Host` header tells it. */
  readonly appOrigin: string | undefined
  readonly providerOrigin: string
  readonly allowedStartOrigins: ReadonlySet<string>
  readonly allowedCallbackOrigins: ReadonlySet<string>
  readonly unprovenStart: 'confirm' | 'refuse' | 'allow'
  readonly tabBinding: boolean
}

/** A login that the browser wants to start. */
export interface StartRequest {
  readonly type: 'start'
  readonly method: 'GET' | 'POST'
  /** Path and query of the request, fit for a link on the same origin. */
  readonly target: string
  /** Whether the request shows that a page of this application (or of a sister site) led here. */
  readonly proven: boolean
  /** `Sec-Fetch-Site`, where the browser sent it. */
  readonly site: string | undefined
  /** The secret that the tab has stored; undefined before it has. */
  readonly tabSecret: string | undefined
}

/** A callback with one well-formed key that may have come from the provider. */
export interface CallbackRequest {
  readonly type: 'callback'
  readonly authKey: string
  /** `Sec-Fetch-Site`, where the browser sent it. */
  readonly site: string | undefined
  /** Whose page the `Referer` names: on a silent approval it is the application's own. */
  readonly referer: 'provider' | 'app' | 'absent'
  /** The query's `state`; undefined unless there is exactly one. */
  readonly state: string | undefined
  /** The secret that the tab had stored, or an empty string if it had none; undefined before it was asked. */
  readonly tabSecret: string | undefined
}

/** A request that is not to be served, and why. */
export interface RefusedRequest {
  readonly type: 'refused'
  readonly code: OutcomeCode
  readonly phase: Phase
  readonly hint?: string
}

const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
const TAB_SECRET = /^[0-9a-f]{32}$/

// Node accepts 16 KB, a login needs less than 2: what is longer is made to keep a parser busy.
const MAX_TARGET_LENGTH = 4096

// What a browser writes into Origin and Referer: never a user name, percent-encoding or anything beyond ASCII.
const WEB_ORIGIN = /^https?:\/\/[a-z0-9._~:[\]-]{1,255}(?=[/?#]|$)/i

const WRONG_PATH_HINT =
  'It came to another path than that of callbackURL: if a proxy rewrites paths, give passport.authenticate() the path that arrives as callbackURL, at the start and at the callback.'
const SCRIPTED_HINT =
  'A script asked for it, not the browser itself: if this application has a service worker that answers navigations, let it leave the URLs of the login alone.'

/** Says what a browser's request is, from its method, URL and headers alone. Changes nothing. */
export function readRequest(
  req: IncomingMessage,
  rules: RequestRules,
): StartRequest | CallbackRequest | RefusedRequest {
  const target = readTarget(req)
  if (!target) return tooLong(req)
  const isCallback = samePath(target.pathname, rules.callbackPath) || mentionsAuthKey(target)
  const phase = isCallback ? 'callback' : 'start'
  if (isSpeculative(req)) return { type: 'refused', code: 'speculative_request', phase }
  return isCallback ? readCallback(req, target, rules) : readStart(req, target, rules)
}

function readStart(req: IncomingMessage, target: URL, rules: RequestRules): StartRequest | RefusedRequest {
  const { method } = req
  if (method !== 'GET' && method !== 'POST') return { type: 'refused', code: 'method_not_allowed', phase: 'start' }
  const proven = isProvenStart(req, rules)
  // A frame, an image or a script never starts a login: only a navigation of the whole page does.
  if (!isNavigation(req) || (!proven && rules.unprovenStart === 'refuse')) {
    return { type: 'refused', code: 'start_forbidden', phase: 'start', ...hintOf(req) }
  }
  const secret = rules.tabBinding && proven ? (single(target.searchParams, TAB_PARAMETER) ?? '') : ''
  // The link that led here may be a stranger's: his secret must not stand in the place of the tab's.
  if (!proven && rules.tabBinding && target.searchParams.has(TAB_PARAMETER)) target.searchParams.delete(TAB_PARAMETER)
  return {
    type: 'start',
    method,
    // Exactly one slash in front: `//evil.example` is another host, and `data:javascript:x` has a path without any.
    target: `/${target.pathname.replace(/^\/+/, '')}${target.search}`,
    proven,
    site: header(req, 'sec-fetch-site'),
    tabSecret: TAB_SECRET.test(secret) ? secret : undefined,
  }
}

function isProvenStart(req: IncomingMessage, rules: RequestRules): boolean {
  if (isFromApp(req, rules)) return true
  const source = sourceOrigin(req)
  return source !== undefined && rules.allowedStartOrigins.has(source)
}

/** Whether a page of this application's own origin caused the request. */
function isFromApp(req: IncomingMessage, rules: RequestRules): boolean {
  const site = header(req, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const source = sourceOrigin(req)
  return source !== undefined && isAppOrigin(source, req, rules)
}

function readCallback(
  req: IncomingMessage,
  { pathname, search, searchParams: query }: URL,
  rules: RequestRules,
): CallbackRequest | RefusedRequest {
  const refuse = (code: OutcomeCode, hint?: string): RefusedRequest => ({
    type: 'refused',
    code,
    phase: 'callback',
    ...(hint !== undefined && { hint }),
  })
  const fromTab = rules.tabBinding && req.method === 'POST' && query.has(TAB_PARAMETER)
  if (req.method !== 'GET' && !fromTab) return refuse('method_not_allowed')
  const hint = hasPlainKey(search) ? undefined : misplacedKey(query)
  if (hint !== undefined) return refuse('auth_key_malformed', hint)
  if (!isSuffix(pathname, rules.callbackPath)) return refuse('callback_forged', WRONG_PATH_HINT)
  const [authKey = '', ...others] = query.getAll('auth_key')
  if (authKey === '' && others.length === 0) return refuse('auth_key_missing')
  if (others.length > 0 || !isAuthKey(authKey)) return refuse('auth_key_malformed')
  const referer = readReferer(req, rules)
  const genuine = fromTab ? isNavigation(req) && isFromApp(req, rules) : isFromProvider(req, rules)
  if (referer === 'foreign' || !genuine) return { ...refuse('callback_forged'), ...hintOf(req) }
  return {
    type: 'callback',
    authKey,
    site: header(req, 'sec-fetch-site'),
    referer,
    state: single(query, 'state'),
    tabSecret: fromTab ? (single(query, TAB_PARAMETER) ?? '') : undefined,
  }
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name)
  return others.length === 0 ? value : undefined
}

/** The ways in which deployed servers and query parsers hide the key, and what to do about them. */
function misplacedKey(query: URLSearchParams): string | undefined {
  for (const [name, value] of query) {
    if (value.includes('?auth_key=')) {
      return 'The provider appended "?auth_key=" to a URL that has a query: register a redirect URL without one.'
    }
    if (name === 'amp;auth_key') {
      return 'The provider appended "&amp;auth_key=": register a redirect URL without a query.'
    }
    if (name.startsWith('auth_key[')) return 'The auth_key must be a plain parameter, without brackets.'
  }
  return undefined
}

/** Whether the query names the key once, and where it belongs: then it need not be searched for a misplaced one. */
function hasPlainKey(search: string): boolean {
  return /^\?auth_key=|&auth_key=/.test(search) && search.indexOf('auth_key') === search.lastIndexOf('auth_key')
}

function mentionsAuthKey({ search, searchParams }: URL): boolean {
  // The name is looked for before a query is taken apart, which takes long for thousands of parameters.
  return search.includes('auth_key') && (searchParams.has('auth_key') || misplacedKey(searchParams) !== undefined)
}

/** Where a whole-page navigation from the provider can say that it comes from. Browsers cannot be made to lie here. */
function isFromProvider(req: IncomingMessage, rules: RequestRules): boolean {
  const site = header(req, 'sec-fetch-site')
  // No Fetch Metadata: an old browser, or an origin on plain http. The Referer is all there is.
  if (site === undefined) return true
  if (!isNavigation(req)) return false
  if (site === 'cross-site') return true
  if (site === 'same-site') return mayBeSameSite(new URL(rules.providerOrigin).hostname, appHostname(req, rules))
  if (site === 'same-origin') return isAppOrigin(rules.providerOrigin, req, rules)
  // Typed or mailed. A typed start leads to such a callback too; the record knows whether it was one.
  return site === 'none' && rules.unprovenStart === 'allow'
}

function readReferer(req: IncomingMessage, rules: RequestRules): CallbackRequest['referer'] | 'foreign' {
  const value = header(req, 'referer')
  // Some privacy proxies send an empty one for none.
  if (!value) return 'absent'
  const origin = originOf(value)
  if (origin === undefined) return 'foreign'
  if (origin === rules.providerOrigin || rules.allowedCallbackOrigins.has(origin)) return 'provider'
  return isAppOrigin(origin, req, rules) || rules.allowedStartOrigins.has(origin) ? 'app' : 'foreign'
}

function isSpeculative(req: IncomingMessage): boolean {
  return PURPOSE_HEADERS.some((name) => {
    const purpose = header(req, name)
    return purpose !== undefined && /prefetch|prerender|preview/i.test(purpose)
  })
}

function isNavigation(req: IncomingMessage): boolean {
  if (header(req, 'sec-fetch-site') === undefined) return true
  return header(req, 'sec-fetch-mode') === 'navigate' && header(req, 'sec-fetch-dest') === 'document'
}

/** The origin whose page caused the request. `Origin: null` says nothing: helmet's no-referrer makes it so. */
function sourceOrigin(req: IncomingMessage): string | undefined {
  const origin = header(req, 'origin')
  const source = origin === undefined || origin === 'null' ? header(req, 'referer') : origin
  return source === undefined ? undefined : originOf(source)
}

/** Undefined for what has no web origin, such as `about:blank` and `android-app://mail/`. */
function originOf(url: string): string | undefined {
  const [origin] = WEB_ORIGIN.exec(url) ?? []
  return origin === undefined ? undefined : parseURL(origin)?.origin
}

// Host, not X-Forwarded-Host: a browser that is being misused still sends its true Host.
function isAppOrigin(origin: string, req: IncomingMessage, rules: RequestRules): boolean {
  if (rules.appOrigin !== undefined) return origin === rules.appOrigin
  return new URL(origin).host === req.headers.host?.toLowerCase()
}

function appHostname(req: IncomingMessage, rules: RequestRules): string {
  return parseURL(rules.appOrigin ?? `http://${req.headers.host}`)?.hostname ?? ''
}

/** False only where the two hosts are surely not of one site: without the public suffix list, more cannot be said. */
function mayBeSameSite(a: string, b: string): boolean {
  const site = (hostname: string): string => hostname.split('.').slice(-2).join('.')
  return a === b || (site(a) === site(b) && !/^[\d.]+$|:/.test(a))
}

/** Own parsing: Connect has no `req.query`, and query parsers make arrays and objects of it. Undefined if it is too long. */
function readTarget(req: IncomingMessage): URL | undefined {
  const target = rawTarget(req)
  if (target.length > MAX_TARGET_LENGTH) return undefined
  // The host of the absolute form is not looked at, so it need not be parsed.
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return new URL(/^[/?]/.test(path) ? `http://localhost${path}` : 'http://localhost/')
}

function rawTarget(req: IncomingMessage): string {
  const original: unknown = Reflect.get(req, 'originalUrl')
  return typeof original === 'string' ? original : (req.url ?? '/')
}

function tooLong(req: IncomingMessage): RefusedRequest {
  const hint = 'The address of the request has more than 4,096 characters.'
  return rawTarget(req).includes('auth_key')
    ? { type: 'refused', code: 'auth_key_malformed', phase: 'callback', hint }
    : { type: 'refused', code: 'start_forbidden', phase: 'start', hint }
}

function hintOf(req: IncomingMessage): { hint?: string } {
  return header(req, 'sec-fetch-dest') === 'empty' ? { hint: SCRIPTED_HINT } : {}
}

// As Express routes by default: case and a slash at the end make no difference.
function samePath(a: string, b: string): boolean {
  return a === b || plainPath(a) === plainPath(b)
}

/**
 * Whether one path is the end of the other: proxies take a prefix off, or put one in front. A key at any other path is not
 * redeemed: an application limits guesses where it expects keys, and not at its start.
 */
function isSuffix(a: string, b: string): boolean {
  const [one, other] = [plainPath(a), plainPath(b)]
  return one === other || (one !== '' && other.endsWith(one)) || (other !== '' && one.endsWith(other))
}

/** A path without its case and its last slashes, as Express routes by default. */
// Not by /\/+$/, which is quadratic for a path that has many slashes, and something behind them.
export function plainPath(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end).toLowerCase()
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
