import { parseURL } from '../../client/url'
import { MAX_TARGET_LENGTH } from '../../limits'
import { isAtCallbackPath, isSamePath, pathOf, withoutOrigin } from './paths'
import { isMarkedAsScript, type Router, routerOf } from './routers'

export interface HTTPRequest {
  readonly method: string | undefined
  /** The request target as it was sent, before a framework stripped a prefix. */
  readonly target: string
  /** `Host`, or `:authority` over HTTP/2; read only where the policy has no `appOrigin`. */
  readonly host?: string | undefined
  /** The value of a header, joined if it was repeated; `name` is in lower case. */
  header(name: string): string | undefined
}

export interface OriginPolicy {
  readonly callbackPath: string
  /** With many providers: the callbacks of two may differ by case, and the key of one must not be sent to the other. */
  readonly isCallbackCaseSensitive: boolean
  /** The application's own origin; undefined if only the `Host` header tells it. */
  readonly appOrigin: string | undefined
  readonly providerOrigin: string
  readonly allowedStartOrigins: ReadonlySet<string>
  readonly allowedCallbackOrigins: ReadonlySet<string>
  readonly unverifiedStart: 'confirm' | 'refuse' | 'allow'
  readonly tabBinding: boolean
}

/**
 * What a request is, by its headers:
 *
 * - `navigation`: of the whole window;
 * - `speculative`: a prefetch, a prerender, or one that the browser makes for a service worker besides the navigation;
 * - `fetch`: by a page's script; `script`: by another one, such as a service worker that answers a navigation;
 * - `web-socket`, `frame`, or another `part` of a page;
 * - `no-page`: it accepts none, and does not say what it is; `unclear`: it accepts one, and what it says is no navigation.
 */
export type RequestKind =
  | 'navigation'
  | 'speculative'
  | 'fetch'
  | 'script'
  | 'web-socket'
  | 'frame'
  | 'part'
  | 'no-page'
  | 'unclear'

/** All that a login asks of a request, read once. */
export interface RequestDescription {
  readonly method: string | undefined
  readonly isTooLong: boolean
  /** As of `targetOf`. */
  readonly target: URL
  /** The path as routers see it. */
  readonly path: string
  readonly kind: RequestKind
  /** The client-side router that made the request, unless the browser itself did. */
  readonly router: Router | undefined
  /** `Sec-Fetch-Site`, which no page can forge; undefined in old browsers, and by plain http beyond localhost. */
  readonly fetchSite: string | undefined
  /** Whose page caused the request, by `Origin`, else by the Referer: a `sister` site is one of `allowedStartOrigins`. */
  readonly source: 'app' | 'sister' | 'foreign' | 'absent'
  /** Whose page the `Referer` names. After a silent approval it is the application's own, or a sister's. */
  readonly referer: 'provider' | 'app' | 'foreign' | 'absent'
  /** Whether `Sec-Fetch-Site` allows that a page of the provider caused it; also where it was typed, or tells nothing. */
  readonly mayBeFromProvider: boolean
  /** As of `isCallback`. */
  readonly isCallback: boolean
  /**
   * Whether the path is the callback's or its end, as routers see it. A key at any other path is not exchanged, because
   * applications limit guesses at the callback, not at the start.
   */
  readonly isAtCallback: boolean
  readonly cookie: string
  /** Whether the application's origin is known from `Host` alone, which a proxy may have rewritten. */
  readonly isOriginOfHost: boolean
}

/**
 * Path and query of a request, resolved as a browser resolves them, without what exceeds `MAX_TARGET_LENGTH`. (`req.query`
 * will not do: Connect has none, and parsers make objects of it.)
 */
function targetOf(req: Pick<HTTPRequest, 'target'>): URL {
  const address = withoutOrigin(req.target.slice(0, MAX_TARGET_LENGTH))
  return new URL(/^[/?]/.test(address) ? `http://localhost${address}` : 'http://localhost/')
}

/**
 * Whether a request is a callback: its path is the callback's, as URL parsers see it, or its query mentions a key. All
 * others are starts.
 */
function isCallback(target: URL, callbackPath: string | undefined): boolean {
  return (callbackPath !== undefined && isSamePath(target.pathname, callbackPath)) || mentionsKey(target)
}

/** What a request is if its provider, and so the path of the callback, is not known. */
export function phaseWithoutProvider(req: Pick<HTTPRequest, 'target'>): 'start' | 'callback' {
  return isCallback(targetOf(req), undefined) ? 'callback' : 'start'
}

export function describeRequest(req: HTTPRequest, policy: OriginPolicy): RequestDescription {
  const target = targetOf(req)
  const path = pathOf(req)
  const { callbackPath, isCallbackCaseSensitive } = policy
  const said = readMetadata(req)
  const referer = req.header('referer')
  const origin = req.header('origin')
  return {
    method: req.method,
    isTooLong: req.target.length > MAX_TARGET_LENGTH,
    target,
    path,
    kind: kindOf(req, said),
    router: isNavigationByMetadata(said) ? undefined : routerOf(req),
    fetchSite: said.site,
    // `Origin: null` tells nothing, because helmet's no-referrer causes it.
    source: sourceOf(origin === undefined || origin === 'null' ? referer : origin, req, policy),
    referer: refererOf(referer, req, policy),
    mayBeFromProvider: mayBeFromProvider(said.site, req, policy),
    isCallback: isCallback(target, callbackPath),
    isAtCallback: isAtCallbackPath(path, callbackPath, isCallbackCaseSensitive),
    cookie: req.header('cookie') ?? '',
    isOriginOfHost: policy.appOrigin === undefined,
  }
}

/** Whether a target mentions a key, also in one of the ways in which deployed servers and query parsers misplace it. */
function mentionsKey({ search, searchParams }: URL): boolean {
  // The name is searched for first, because parsing a query of thousands of parameters takes long.
  return NAME_OF_KEY.test(search) && (searchParams.has('auth_key') || misplacementOf(searchParams) !== undefined)
}

// Before an escaped `=`, it is part of an address that is the value of another parameter, such as a `returnTo`.
const NAME_OF_KEY = /auth_key(?!%3d)/i

export type KeyMisplacement = 'behind a query' | 'escaped' | 'in brackets'

export function misplacementOf(query: URLSearchParams): KeyMisplacement | undefined {
  for (const [name, value] of query) {
    if (value.includes('?auth_key=')) return 'behind a query'
    if (name === 'amp;auth_key') return 'escaped'
    if (name.startsWith('auth_key[')) return 'in brackets'
  }
  return undefined
}

interface Metadata {
  readonly site: string | undefined
  readonly mode: string | undefined
  readonly destination: string | undefined
  /** Browsers accept `text/html` where they want a page, not where they want a picture, a script or data. */
  readonly acceptsPages: boolean
}

function readMetadata(req: HTTPRequest): Metadata {
  return {
    site: req.header('sec-fetch-site'),
    mode: req.header('sec-fetch-mode'),
    destination: req.header('sec-fetch-dest'),
    acceptsPages: req.header('accept')?.includes('text/html') ?? true,
  }
}

function kindOf(req: HTTPRequest, said: Metadata): RequestKind {
  const { site, mode, destination, acceptsPages } = said
  if (isSpeculative(req, said)) return 'speculative'
  // Without Fetch Metadata only `Accept` tells, and headers of scripts that accept pages.
  const isMarked = site === undefined && isMarkedAsScript(req)
  // Chromium sends a WebSocket's handshake with cookies but without Fetch Metadata, and Node passes it on as a GET.
  const isHandshake = isWebSocket(req)
  if (site === undefined ? acceptsPages && !isMarked && !isHandshake : isNavigationByMetadata(said)) return 'navigation'
  // A service worker that answers a navigation sends the mode `navigate` (Chromium, WebKit) or `same-origin` (Firefox).
  const isFetch = site !== undefined && destination === 'empty' && (mode === 'cors' || mode === 'no-cors')
  if (isMarked || isFetch) return 'fetch'
  if (isHandshake) return 'web-socket'
  if (destination === 'empty') return 'script'
  if (destination === undefined) return acceptsPages ? 'unclear' : 'no-page'
  if (FRAMES.has(destination)) return 'frame'
  return destination === 'document' ? 'unclear' : 'part'
}

const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe'])
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
// Headers of a WebSocket's request, by RFC 6455.
const WEBSOCKET_HEADERS = ['key', 'version', 'protocol', 'extensions'].map((name) => `sec-websocket-${name}`)

function isNavigationByMetadata({ mode, destination }: Metadata): boolean {
  return mode === 'navigate' && destination === 'document'
}

// A speculative request says `same-origin`, no matter who caused the navigation. Firefox marks that for a service worker as a
// preload. WebKit repeats it after a preload, if the worker leaves the navigation to the browser, and only `Accept` tells
// it from a navigation.
function isSpeculative(req: HTTPRequest, said: Metadata): boolean {
  if (req.header('service-worker-navigation-preload') !== undefined) return true
  if (isNavigationByMetadata(said) && !said.acceptsPages) return true
  return /prefetch|prerender|preview/i.test(PURPOSE_HEADERS.map((name) => req.header(name)).join())
}

/** Whether it has any header of a WebSocket's handshake: over HTTP/2, and behind some proxies, some are missing. */
function isWebSocket(req: HTTPRequest): boolean {
  if (req.header('upgrade')?.toLowerCase() === 'websocket') return true
  return WEBSOCKET_HEADERS.some((name) => req.header(name) !== undefined)
}

function mayBeFromProvider(site: string | undefined, req: HTTPRequest, policy: OriginPolicy): boolean {
  switch (site) {
    // Old browsers, and all browsers on plain http beyond localhost, send no Fetch Metadata: the Referer decides then.
    case undefined:
    case 'cross-site':
    // It was typed or mailed, or WebKit requests it again: the login's record decides.
    case 'none':
      return true
    case 'same-site':
      return mayBeSameSite(new URL(policy.providerOrigin).hostname, appHostname(req, policy))
    default:
      return site === 'same-origin' && isAppOrigin(policy.providerOrigin, req, policy)
  }
}

function sourceOf(url: string | undefined, req: HTTPRequest, policy: OriginPolicy): RequestDescription['source'] {
  const origin = originOf(url)
  if (origin === '') return 'absent'
  if (isAppOrigin(origin, req, policy)) return 'app'
  return policy.allowedStartOrigins.has(origin) ? 'sister' : 'foreign'
}

function refererOf(url: string | undefined, req: HTTPRequest, policy: OriginPolicy): RequestDescription['referer'] {
  // Some privacy proxies send an empty Referer instead of none.
  if (!url) return 'absent'
  const origin = originOf(url)
  if (origin === policy.providerOrigin || policy.allowedCallbackOrigins.has(origin)) return 'provider'
  return isAppOrigin(origin, req, policy) || policy.allowedStartOrigins.has(origin) ? 'app' : 'foreign'
}

// An origin as browsers write it into Origin and Referer. Some old ones do not leave out a default port.
const WEB_ORIGIN = /^https?:\/\/[^/?#]+/

/** The origin of a URL; empty if it has none of the web, such as `about:blank` and `android-app://mail/`. */
function originOf(url = ''): string {
  return withoutDefaultPort(WEB_ORIGIN.exec(url)?.[0] ?? '')
}

function withoutDefaultPort(origin: string): string {
  return origin.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '')
}

// `Host` is reliable here, because a victim's browser always sends the true one; X-Forwarded-Host is not read.
export function isAppOrigin(
  origin: string,
  { host }: HTTPRequest,
  { appOrigin }: Pick<OriginPolicy, 'appOrigin'>,
): boolean {
  if (appOrigin !== undefined) return origin === appOrigin
  const [scheme] = origin.split('//')
  return origin === withoutDefaultPort(`${scheme}//${host?.toLowerCase()}`)
}

function appHostname({ host }: HTTPRequest, { appOrigin }: OriginPolicy): string {
  return parseURL(appOrigin ?? `http://${host}`)?.hostname ?? ''
}

/** Whether two hosts may belong to one site. To know it for certain would need the public suffix list. */
function mayBeSameSite(a: string, b: string): boolean {
  const site = (hostname: string): string => hostname.split('.').slice(-2).join('.')
  return a === b || (site(a) === site(b) && !/^[\d.]+$/.test(a))
}
