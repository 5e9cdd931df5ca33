import { apiPath } from './behaviours'
import { errorAnswer, serverPage } from './endpoints/api-answer'
import { authorize } from './endpoints/authorize'
import { oauth } from './endpoints/oauth'
import { getUserInfo, userMe } from './endpoints/profile'
import type { Answer, ProviderRequest } from './http/request'
import { isLoopback } from './http/server'
import { decide, home, revokeApproval, signIn, signOut } from './pages/account'
import { changeURL, dashboard, deleteApplication, registerApplication, renewSecret } from './pages/developers'
import { type Handler, messagePage } from './pages/layout'
import { signInPage } from './pages/login'
import { blank, cover, icon, picture } from './pages/pictures'
import { copyScript, style } from './pages/style'
import { addPerson, people, person, removePerson, savePerson } from './pages/users'
import type { State } from './state/state'
import type { Endpoint } from './types'

const endpoints: Readonly<Record<Endpoint, Handler>> = {
  oauth,
  authorize,
  'user/me': userMe,
  get_user_info: getUserInfo,
}

const UPLOADED = /^\/content\/uploads\/(?=(?:pictures|covers)\/)/

/** `:` matches one path segment, which is passed to the page. */
const pages: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/': { GET: home },
  '/style.css': { GET: style },
  '/copy.js': { GET: copyScript },
  '/icon.svg': { GET: icon },
  '/images/blank.svg': { GET: blank },
  '/pictures/:': { GET: picture },
  '/covers/:': { GET: cover },
  '/sign-in': { GET: (_request, state) => signInPage(state), POST: signIn },
  '/sign-out': { POST: signOut },
  '/approval': { POST: decide },
  '/approval/revoke': { POST: revokeApproval },
  '/developers': { GET: dashboard, POST: registerApplication },
  '/developers/:': { POST: changeURL },
  '/developers/:/secret': { POST: renewSecret },
  '/developers/:/delete': { POST: deleteApplication },
  '/users': { GET: people, POST: addPerson },
  '/users/:': { GET: person, POST: savePerson },
  '/users/:/delete': { POST: removePerson },
}

/**
 * Refuses what another website makes its visitor's browser send, because this provider has no passwords. A refused
 * request is not logged and consumes no fault. Undefined if the request is allowed.
 */
export function refusalFor(request: ProviderRequest, state: State): Answer | undefined {
  // DNS rebinding: the website's name resolves to this machine, so its scripts could read every response.
  if (!isOwnHost(request.headers.host, state)) {
    const message = `This provider is at ${request.origin}. Set the option origin to use another name.`
    return messagePage(state, 421, 'Wrong address', message)
  }
  if (isFromOtherSite(request) && !isLink(request)) {
    return messagePage(state, 403, 'Cross-site request', 'This request was sent by another site.')
  }
  return request.isTooLarge ? { status: 413, headers: {}, body: '' } : undefined
}

/** The response of one of the four endpoints or of a page, before any fault. */
export function answerFor(request: ProviderRequest, state: State): Answer {
  const { endpoint, pathname, headers } = request
  if (endpoint === undefined) {
    if (pathname.startsWith('/api/') && state.behaviours.inFolder) return serverPage(404, 'Not Found')
    return pathname.startsWith(`${apiPath(state.behaviours)}/`)
      ? errorAnswer(state.behaviours, 404, 'There is nothing here.')
      : pageFor(request, state)
  }
  const { requireUserAgent, htmlAtStatus200 } = state.behaviours
  if (requireUserAgent && !headers['user-agent']) return serverPage(403, 'Just a moment...')
  if (htmlAtStatus200 && endpoint !== 'oauth') return serverPage(200, 'We will be right back')
  return endpoints[endpoint](request, state, '')
}

function pageFor(request: ProviderRequest, state: State): Answer {
  // Pictures are also where the records of deployed servers look for them.
  const pathname = request.pathname.replace(UPLOADED, '/')
  const [, first = '', parameter = '', ...rest] = pathname.split('/')
  const patterns = [pathname, ['', first, ':', ...rest].join('/')]
  const pattern = patterns.find((each) => Object.hasOwn(pages, each)) ?? ''
  const methods = pages[pattern]
  if (methods === undefined) return messagePage(state, 404, 'Not found', 'This page does not exist.')
  const show = new Map(Object.entries(methods)).get(request.method === 'HEAD' ? 'GET' : request.method)
  if (show !== undefined) return show(request, state, decoded(parameter))
  const allow = Object.keys(methods).join(', ')
  return messagePage(state, 405, 'Method not allowed', `Use ${allow}.`, { allow })
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * Whether a `Host` header names this machine or the given origin. Neighbours in the network can own other names, but none
 * without a dot, such as that of a service of Docker. Beyond loopback without a given origin, any name may be its own.
 */
function isOwnHost(header = '', { origin, allowRemote, hasPublicOrigin }: State): boolean {
  if (allowRemote && !hasPublicOrigin) return true
  const name = header.replace(/:\d+$/, '')
  const isService = allowRemote && /^[\w-]+$/.test(name)
  return isLoopback(name) || isService || (origin !== undefined && new URL(origin).host === header)
}

/** Browsers send at least one of the two headers with a form, HTTP clients in tests neither. */
function isFromOtherSite({ headers }: ProviderRequest): boolean {
  const { 'sec-fetch-site': site, origin, host = '' } = headers
  if (site !== undefined) return site === 'cross-site' || site === 'same-site'
  // The origins are compared as text: both leave out a default port, and a browser writes both in lower case.
  return origin !== undefined && origin.replace(/^https?:\/\//, '') !== host
}

/** Pages of other sites may link to a page, also in a frame (Cypress runs applications in one), and show pictures. */
function isLink({ method, endpoint, pathname, headers }: ProviderRequest): boolean {
  const isPage = endpoint === undefined || endpoint === 'oauth'
  if (!isPage || (method !== 'GET' && method !== 'HEAD')) return false
  return (
    headers['sec-fetch-mode'] === 'navigate' || /^\/(?:content\/uploads\/)?(?:pictures|covers|images)\//.test(pathname)
  )
}
