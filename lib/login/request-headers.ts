import { parseURL } from '../client/url'

/** A request as its adapter received it. */
export interface HTTPRequest {
  readonly method: string | undefined
  /** The request target as it was sent, before a framework took a prefix off. */
  readonly target: string
  /** By lower-case name, as Node has them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Settings for classifying a request. */
export interface RequestRules {
  readonly callbackPath: string
  /** The application's own origin; undefined where only the `Host` header tells it. */
  readonly appOrigin: string | undefined
  readonly providerOrigin: string
  readonly allowedStartOrigins: ReadonlySet<string>
  readonly allowedCallbackOrigins: ReadonlySet<string>
  readonly unverifiedStart: 'confirm' | 'refuse' | 'allow'
  readonly tabBinding: boolean
}

const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

// What a browser writes into Origin and Referer: never a user name, percent-encoding or anything beyond ASCII.
const WEB_ORIGIN = /^https?:\/\/[a-z0-9._~:[\]-]{1,255}(?=[/?#]|$)/i

/** Whether the browser looks ahead (prefetch, prerender), for a person who may never come. */
export function isSpeculative(req: HTTPRequest): boolean {
  return PURPOSE_HEADERS.some((name) => {
    const purpose = header(req, name)
    return purpose !== undefined && /prefetch|prerender|preview/i.test(purpose)
  })
}

/** Whether a whole page is navigated; browsers without Fetch Metadata do not say. */
export function isNavigation(req: HTTPRequest): boolean {
  if (fetchSite(req) === undefined) return true
  return header(req, 'sec-fetch-mode') === 'navigate' && header(req, 'sec-fetch-dest') === 'document'
}

/** Whether a script made the request, or a service worker in place of the browser. */
export function isScripted(req: HTTPRequest): boolean {
  return header(req, 'sec-fetch-dest') === 'empty'
}

/** `Sec-Fetch-Site`; undefined where the browser sent none. */
export function fetchSite(req: HTTPRequest): string | undefined {
  return header(req, 'sec-fetch-site')
}

/** Whether a page of this application, or of a sister site that the options allow, caused the request. */
export function isVerifiedStart(req: HTTPRequest, rules: RequestRules): boolean {
  if (isFromApp(req, rules)) return true
  const source = sourceOrigin(req)
  return source !== undefined && rules.allowedStartOrigins.has(source)
}

/** Whether a page of this application's own origin caused the request. */
export function isFromApp(req: HTTPRequest, rules: RequestRules): boolean {
  const site = fetchSite(req)
  if (site !== undefined) return site === 'same-origin'
  const source = sourceOrigin(req)
  return source !== undefined && isAppOrigin(source, req, rules)
}

/** Whether it is a navigation from where a page of the provider can be. No browser can be made to lie about that. */
export function isFromProvider(req: HTTPRequest, rules: RequestRules): boolean {
  const site = fetchSite(req)
  // No Fetch Metadata: an old browser, or an origin on plain http. The Referer is all there is.
  if (site === undefined) return true
  if (!isNavigation(req)) return false
  if (site === 'cross-site') return true
  if (site === 'same-site') return mayBeSameSite(new URL(rules.providerOrigin).hostname, appHostname(req, rules))
  if (site === 'same-origin') return isAppOrigin(rules.providerOrigin, req, rules)
  // Typed or mailed. A typed start leads to such a callback too; the record knows whether it was one.
  return site === 'none' && rules.unverifiedStart === 'allow'
}

/** Whose page the `Referer` names. On a silent approval it is the application's own. */
export function refererOf(req: HTTPRequest, rules: RequestRules): 'provider' | 'app' | 'absent' | 'foreign' {
  const value = header(req, 'referer')
  // Some privacy proxies send an empty one for none.
  if (!value) return 'absent'
  const origin = originOf(value)
  if (origin === undefined) return 'foreign'
  if (origin === rules.providerOrigin || rules.allowedCallbackOrigins.has(origin)) return 'provider'
  return isAppOrigin(origin, req, rules) || rules.allowedStartOrigins.has(origin) ? 'app' : 'foreign'
}

/** The origin whose page caused the request. `Origin: null` says nothing: helmet's no-referrer makes it so. */
function sourceOrigin(req: HTTPRequest): string | undefined {
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
function isAppOrigin(origin: string, req: HTTPRequest, rules: RequestRules): boolean {
  if (rules.appOrigin !== undefined) return origin === rules.appOrigin
  return new URL(origin).host === header(req, 'host')?.toLowerCase()
}

function appHostname(req: HTTPRequest, rules: RequestRules): string {
  return parseURL(rules.appOrigin ?? `http://${header(req, 'host')}`)?.hostname ?? ''
}

/** False only where the two hosts are surely not of one site: without the public suffix list, more cannot be said. */
function mayBeSameSite(a: string, b: string): boolean {
  const site = (hostname: string): string => hostname.split('.').slice(-2).join('.')
  return a === b || (site(a) === site(b) && !/^[\d.]+$|:/.test(a))
}

function header(req: HTTPRequest, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
