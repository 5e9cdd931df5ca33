import { SILENT_APPROVAL_MS } from '../../limits'
import {
  acceptsPages,
  fetchSiteOf,
  type HTTPRequest,
  isScripted,
  isWebSocket,
  type OriginPolicy,
  pathOf,
  refererOf,
  sourceOrigin,
} from './headers'

// Each sentence says what the request itself shows, and proposes an option only where that can help.
const WEB_SOCKET = 'It was the handshake of a WebSocket, not a navigation.'
const SCRIPTED =
  'A script made the request, not the browser itself: if this application has a service worker that answers navigations, exclude the URLs of the login from it.'
const FRAMED = 'It was requested for a frame: a login needs the whole window (target="_top").'
const PART_OF_PAGE = 'It was requested as a part of a page, such as a picture, not as a page.'
const ACCEPTS_NO_PAGES =
  'Without Sec-Fetch-Site only a request that accepts pages (Accept: text/html) counts as a navigation.'
const NO_SOURCE =
  'None of the headers Sec-Fetch-Site, Origin and Referer arrived: a proxy or CDN in front of this application must pass them on; a browser may be set to hide them.'
const OTHER_SOURCE =
  'Sec-Fetch-Site did not arrive, and Origin or Referer names another address than this application has: if the page was its own, give the whole callbackURL, because a proxy may rewrite Host; for a page of a sister site there is allowedStartOrigins.'

const TYPED_START = 'The address was typed, or opened from a bookmark, a mail or another program.'
const FOREIGN_START = 'A page of another site led here: for a sister site of yours there is allowedStartOrigins.'
const DETOUR_START =
  'A page of this application led here, but through another site, or in a new tab, which Safari counts as another site: link to it directly, without target="_blank" or with rel="opener".'

const OTHER_REFERER =
  'Its Referer names another site than the provider. If people sign in at the provider by that site, or the provider has another address, list the origin in allowedCallbackOrigins; a second attempt may work all the same.'
const TYPED_CALLBACK =
  'The address was typed, or opened from another program or another browser than the one in which the login was started.'
const OWN_PAGE = 'A page of this application itself led to the callback, or reloaded it.'
const SISTER_SITE = 'A page of a sister site led to the callback, and the provider is not one.'
const LATE = `It came from a page of this application, more than ${SILENT_APPROVAL_MS / 1000} seconds after the start: a link there, or a provider that approved without a question, but slowly.`

// Some client-side routers send no header of their own, but two of them a path of their own.
const ROUTER_PATHS = [
  { path: /\.data$/, attribute: 'reloadDocument (React Router)' },
  { path: /\/__data\.json$/, attribute: 'data-sveltekit-reload (SvelteKit)' },
]
const ANY_ROUTER =
  'reloadDocument (React Router), data-sveltekit-reload, external (Nuxt), data-astro-reload or a plain <a>'

const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe'])

export function startHint(req: HTTPRequest, policy: OriginPolicy): string | undefined {
  const hint = hintOfKind(req)
  if (hint !== undefined) return hint
  const fetchSite = fetchSiteOf(req)
  if (fetchSite === undefined) return sourceOrigin(req) === '' ? NO_SOURCE : OTHER_SOURCE
  if (fetchSite === 'none') return TYPED_START
  return refererOf(req, policy) === 'app' ? DETOUR_START : FOREIGN_START
}

export function scriptHint(req: HTTPRequest): string {
  const attribute = ROUTER_PATHS.find(({ path }) => path.test(pathOf(req)))?.attribute ?? ANY_ROUTER
  return `If a client-side router did, leave this link to the browser: ${attribute}.`
}

export function callbackHint(req: HTTPRequest, policy: OriginPolicy): string | undefined {
  const hint = hintOfKind(req)
  if (hint !== undefined) return hint
  if (refererOf(req, policy) === 'foreign') return OTHER_REFERER
  const fetchSite = fetchSiteOf(req)
  if (fetchSite === 'same-origin') return OWN_PAGE
  return fetchSite === 'same-site' ? SISTER_SITE : undefined
}

/** Of a callback that `checkCallback` refuses as forged: it was late if it has the application's own Referer, else typed. */
export function mismatchHint(referer: ReturnType<typeof refererOf>): string {
  return referer === 'app' ? LATE : TYPED_CALLBACK
}

/** What kind of request it is, if it is no navigation of the whole window. */
function hintOfKind(req: HTTPRequest): string | undefined {
  if (isWebSocket(req)) return WEB_SOCKET
  if (isScripted(req)) return SCRIPTED
  const destination = req.header('sec-fetch-dest')
  if (destination === undefined) return acceptsPages(req) ? undefined : ACCEPTS_NO_PAGES
  if (FRAMES.has(destination)) return FRAMED
  return destination === 'document' ? undefined : PART_OF_PAGE
}
