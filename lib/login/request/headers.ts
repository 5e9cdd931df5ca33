import { parseURL } from '../../client/url'
import { isMarkedAsScript } from './routers'

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
  readonly isCallbackCaseSensitive?: boolean
  /** The application's own origin; undefined if only the `Host` header tells it. */
  readonly appOrigin: string | undefined
  readonly providerOrigin: string
  readonly allowedStartOrigins: ReadonlySet<string>
  readonly allowedCallbackOrigins: ReadonlySet<string>
  readonly unverifiedStart: 'confirm' | 'refuse' | 'allow'
  readonly tabBinding: boolean
}

const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
// Headers of a WebSocket's request, by RFC 6455.
const WEBSOCKET_HEADERS = ['key', 'version', 'protocol', 'extensions'].map((name) => `sec-websocket-${name}`)

// An origin as browsers write it into Origin and Referer. Some old ones do not leave out a default port.
const WEB_ORIGIN = /^https?:\/\/[^/?#]+/

/** The path as routers see it: URL parsers resolve `..` and convert `\\`, routers do neither. */
export function pathOf({ target }: HTTPRequest): string {
  return withoutOrigin(target).replace(/[?#].*/s, '')
}

/** A target without the origin that absolute-form targets have. */
export function withoutOrigin(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '')
}

/**
 * Whether the request is speculative: a prefetch, a prerender, or one that the browser makes for a service worker
 * besides the navigation itself. Such a request says `same-origin`, whoever caused the navigation. Firefox marks it as
 * a preload. WebKit repeats it after a preload, if the worker leaves the navigation to the browser, and only `Accept`
 * tells it from a navigation.
 */
export function isSpeculative(req: HTTPRequest): boolean {
  if (req.header('service-worker-navigation-preload') !== undefined) return true
  if (isNavigationByMetadata(req) && !acceptsPages(req)) return true
  return /prefetch|prerender|preview/i.test(PURPOSE_HEADERS.map((name) => req.header(name)).join())
}

/**
 * Whether this is a top-level navigation. Without Fetch Metadata, only `Accept` tells, and headers of scripts that
 * accept pages. Chromium sends a WebSocket's handshake with cookies but without Fetch Metadata, and Node passes it on
 * as a GET unless the application has WebSockets.
 */
export function isNavigation(req: HTTPRequest): boolean {
  if (fetchSiteOf(req) !== undefined) return isNavigationByMetadata(req)
  return acceptsPages(req) && !isWebSocket(req) && !isMarkedAsScript(req)
}

export function isNavigationByMetadata(req: HTTPRequest): boolean {
  return req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document'
}

/** Whether it has any header of a WebSocket's handshake: over HTTP/2, and behind some proxies, some are missing. */
export function isWebSocket(req: HTTPRequest): boolean {
  if (req.header('upgrade')?.toLowerCase() === 'websocket') return true
  return WEBSOCKET_HEADERS.some((name) => req.header(name) !== undefined)
}

/** Browsers accept `text/html` where they want a page, not where they want a picture, a script or data. */
export function acceptsPages(req: HTTPRequest): boolean {
  return req.header('accept')?.includes('text/html') ?? true
}

/** Whether a script, or a service worker on behalf of a page, made the request. */
export function isScripted(req: HTTPRequest): boolean {
  return req.header('sec-fetch-dest') === 'empty' || (fetchSiteOf(req) === undefined && isMarkedAsScript(req))
}

/**
 * Whether a page's script requested it by `fetch` or XMLHttpRequest. A service worker that answers a navigation sends
 * the mode `navigate` (Chromium, WebKit) or `same-origin` (Firefox).
 */
export function isFetch(req: HTTPRequest): boolean {
  if (fetchSiteOf(req) === undefined) return isMarkedAsScript(req)
  const mode = req.header('sec-fetch-mode')
  return isScripted(req) && (mode === 'cors' || mode === 'no-cors')
}

export function fetchSiteOf(req: HTTPRequest): string | undefined {
  return req.header('sec-fetch-site')
}

export function isVerifiedStart(req: HTTPRequest, policy: OriginPolicy): boolean {
  return isFromApp(req, policy) || policy.allowedStartOrigins.has(sourceOrigin(req))
}

function isFromApp(req: HTTPRequest, policy: OriginPolicy): boolean {
  const fetchSite = fetchSiteOf(req)
  return fetchSite === undefined ? isAppNamed(req, policy) : fetchSite === 'same-origin'
}

/** Whether a form of this application's own origin was sent. WebKit calls that `cross-site` if it is sent again. */
export function isFormOfApp(req: HTTPRequest, policy: OriginPolicy): boolean {
  return isNavigation(req) && (isFromApp(req, policy) || isAppNamed(req, policy))
}

function isAppNamed(req: HTTPRequest, policy: OriginPolicy): boolean {
  return isAppOrigin(sourceOrigin(req), req, policy)
}

/** Whether it is a navigation that may come from the provider, by Fetch Metadata, which no page can forge. */
export function isFromProvider(req: HTTPRequest, policy: OriginPolicy): boolean {
  if (!isNavigation(req)) return false
  const fetchSite = fetchSiteOf(req)
  // Old browsers, and all browsers on plain http beyond localhost, send no Fetch Metadata: `refererOf` decides then.
  if (fetchSite === undefined || fetchSite === 'cross-site') return true
  if (fetchSite === 'same-site') return mayBeSameSite(new URL(policy.providerOrigin).hostname, appHostname(req, policy))
  if (fetchSite === 'same-origin') return isAppOrigin(policy.providerOrigin, req, policy)
  // The callback was typed or mailed, the login was started like that, or WebKit requests the callback again:
  // `checkCallback` decides by the Referer and the start.
  return fetchSite === 'none'
}

/** Whose page the `Referer` names. After a silent approval it is the application's own. */
export function refererOf(req: HTTPRequest, policy: OriginPolicy): 'provider' | 'app' | 'absent' | 'foreign' {
  const value = req.header('referer')
  // Some privacy proxies send an empty Referer instead of none.
  if (!value) return 'absent'
  const origin = originOf(value)
  if (origin === policy.providerOrigin || policy.allowedCallbackOrigins.has(origin)) return 'provider'
  return isAppOrigin(origin, req, policy) || policy.allowedStartOrigins.has(origin) ? 'app' : 'foreign'
}

/**
 * The origin whose page caused the request; empty if no header names one. `Origin: null` tells nothing, because helmet's
 * no-referrer causes it.
 */
export function sourceOrigin(req: HTTPRequest): string {
  const origin = req.header('origin')
  return originOf(origin === undefined || origin === 'null' ? req.header('referer') : origin)
}

/** The origin of a URL; empty if it has none of the web, such as `about:blank` and `android-app://mail/`. */
function originOf(url = ''): string {
  return withoutDefaultPort(WEB_ORIGIN.exec(url)?.[0] ?? '')
}

function withoutDefaultPort(origin: string): string {
  return origin.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '')
}

// `Host` is reliable here, because a victim's browser always sends the true one; X-Forwarded-Host is not read.
export function isAppOrigin(origin: string, req: HTTPRequest, policy: Pick<OriginPolicy, 'appOrigin'>): boolean {
  if (policy.appOrigin !== undefined) return origin === policy.appOrigin
  const [scheme] = origin.split('//')
  return origin === withoutDefaultPort(`${scheme}//${req.host?.toLowerCase()}`)
}

function appHostname(req: HTTPRequest, policy: OriginPolicy): string {
  return parseURL(policy.appOrigin ?? `http://${req.host}`)?.hostname ?? ''
}

/** Whether two hosts may belong to one site. To know it for certain would need the public suffix list. */
function mayBeSameSite(a: string, b: string): boolean {
  const site = (hostname: string): string => hostname.split('.').slice(-2).join('.')
  return a === b || (site(a) === site(b) && !/^[\d.]+$/.test(a))
}
