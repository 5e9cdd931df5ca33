import { MAX_TARGET_LENGTH, SILENT_APPROVAL_MS } from '../limits'

/** What `describeRequest` says of a request. */
interface Described {
  readonly kind: string
  readonly fetchSite: string | undefined
  readonly source: string
  readonly referer: string
}

interface DescribedCallback extends Omit<Described, 'source'> {
  readonly mayBeFromProvider: boolean
  readonly isOriginOfHost: boolean
}

// Each sentence says what the request itself shows, and proposes an option only where that can help.
const WEB_SOCKET = 'It was the handshake of a WebSocket, not a navigation.'
const SCRIPTED =
  'A script made the request, not the browser itself: if this application has a service worker that answers navigations, exclude the URLs of the login from it.'
const FRAMED = 'It was requested for a frame: a login needs the whole window (target="_top").'
const PART_OF_PAGE = 'It was requested as a part of a page, such as a picture, not as a page.'
const ACCEPTS_NO_PAGES =
  'Without Sec-Fetch-Site only a request that accepts pages (Accept: text/html) counts as a navigation.'
const NO_SOURCE =
  'None of the headers Sec-Fetch-Site, Origin and Referer arrived: a proxy or CDN in front of this application must forward them. (A browser may also be set to hide them.)'
const OTHER_SOURCE =
  'Sec-Fetch-Site did not arrive, and Origin or Referer names another address than this application has: if the page was its own, give the whole callbackURL, because a proxy may rewrite Host; list the origins of sister sites in allowedStartOrigins.'

const TYPED_START = 'The address was typed, or opened from a bookmark, an e-mail or another program.'
const FOREIGN_START = 'A page of another site linked here: list your own sister sites in allowedStartOrigins.'
const DETOUR_START =
  'A page of this application linked here, but through another site, or in a new tab, which Safari counts as another site: link to it directly, without target="_blank" or with rel="opener".'

const OTHER_REFERER =
  'Its Referer names another site than the provider. If users sign in to the provider with that site, or the provider has another address, list the origin in allowedCallbackOrigins. A second attempt may work.'
const REWRITTEN_HOST =
  'If its Referer names this application itself, a proxy rewrites Host (a tunnel, a development server): give the whole callbackURL, with its origin. Otherwise: '
const TYPED_CALLBACK =
  'The address was typed, or opened from another program or another browser than the one in which the login was started.'
const OWN_PAGE = 'A page of this application itself linked to the callback, or reloaded it.'
const SISTER_SITE = 'A page of a sister site linked to the callback, and the provider is not one.'
const LATE = `It came from a page of this application, more than ${SILENT_APPROVAL_MS / 1000} seconds after the start: a link there, or a provider that approved without a question, but slowly.`

// Some client-side routers send no header of their own, but two of them a path of their own.
const ROUTER_PATHS = [
  { path: /\.data$/, attribute: 'reloadDocument (React Router)' },
  { path: /\/__data\.json$/, attribute: 'data-sveltekit-reload (SvelteKit)' },
]
const ANY_ROUTER =
  'reloadDocument (React Router), data-sveltekit-reload, external (Nuxt), data-astro-reload or a plain <a>'

/** By the kind of a request that is no navigation of the whole window. */
const OF_KIND: Readonly<Record<string, string>> = {
  'web-socket': WEB_SOCKET,
  fetch: SCRIPTED,
  script: SCRIPTED,
  frame: FRAMED,
  part: PART_OF_PAGE,
  'no-page': ACCEPTS_NO_PAGES,
}

/** Why a start counts as one that no page of the application caused. */
export function startHint({ kind, fetchSite, source, referer }: Described): string | undefined {
  const hint = OF_KIND[kind]
  if (hint !== undefined) return hint
  if (fetchSite === undefined) return source === 'absent' ? NO_SOURCE : OTHER_SOURCE
  if (fetchSite === 'none') return TYPED_START
  return referer === 'app' ? DETOUR_START : FOREIGN_START
}

export function scriptHint(path: string): string {
  const attribute = ROUTER_PATHS.find((router) => router.path.test(path))?.attribute ?? ANY_ROUTER
  return `If a client-side router did, leave this link to the browser: ${attribute}.`
}

/** Why a callback counts as one that did not come from the provider. */
export function forgedHint({
  kind,
  fetchSite,
  referer,
  mayBeFromProvider,
  isOriginOfHost,
}: DescribedCallback): string | undefined {
  const hint = OF_KIND[kind]
  if (hint !== undefined) return hint
  if (referer === 'foreign') return isOriginOfHost ? REWRITTEN_HOST + OTHER_REFERER : OTHER_REFERER
  if (!mayBeFromProvider && fetchSite === 'same-origin') return OWN_PAGE
  if (!mayBeFromProvider && fetchSite === 'same-site') return SISTER_SITE
  if (kind !== 'navigation') return undefined
  if (referer === 'app') return LATE
  return fetchSite === 'none' ? TYPED_CALLBACK : undefined
}

export const TOO_LONG = `The address of the request has more than ${MAX_TARGET_LENGTH.toLocaleString('en')} characters.`
export const WRONG_PATH =
  'It arrived at a path other than that of callbackURL, which must be the whole path of the registered redirect URL, including that of a router; if a proxy rewrites paths, give the path that your application receives as the option callbackURL at the start and at the callback.'
export const ONE_ROUTE =
  'A page of this application linked here: a login starts at its own route, not at that of callbackURL.'

/** By the way in which a deployed server, or a query parser, misplaces the key. */
export const MISPLACED_KEY = {
  'behind a query':
    'The provider appended "?auth_key=" to a URL that has a query: register a redirect URL without one.',
  escaped: 'The provider appended "&amp;auth_key=": register a redirect URL without a query.',
  'in brackets': 'The auth_key must be a plain parameter, without brackets.',
} as const

export const NO_PAGE =
  'A page with a button would ask whether this was meant, but the framework gives no response at req.res to send it with.'

/** Why a callback finds no login that it could finish. */
export const LOGIN_USED = 'The login of this browser is over: a callback has used it, and a reload cannot repeat it.'
export const LOGIN_USED_ELSEWHERE = 'Another process has used it at the same moment.'
