import { endpointOf } from '../endpoints/endpoints'
import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'

/** Why a request is refused before anything is done or noted for it. */
export interface GuardRefusal {
  readonly status: 403 | 421
  readonly title: string
  readonly message: string
}

/**
 * Refuses what a website makes its visitor's browser send: this provider has no passwords, so that it must not listen to
 * strangers. No refused request is logged or takes a fault that waits for one of the application's own.
 */
export function guardRefusal(request: ProviderRequest, state: State): GuardRefusal | undefined {
  // DNS rebinding: the website's own name leads to this machine, and its scripts may read every answer.
  if (!state.trustsHost(request.headers.host ?? '')) {
    const message = `This provider is at ${request.origin}. Give it the option origin to use another name.`
    return { status: 421, title: 'Wrong address', message }
  }
  if (isUnwelcome(request)) {
    return { status: 403, title: 'Not from here', message: 'This request was sent by another site.' }
  }
  return undefined
}

/** Three of the endpoints are for servers; people's browsers come to the fourth from anywhere, but as pages only. */
function isUnwelcome(request: ProviderRequest): boolean {
  const endpoint = endpointOf(request.pathname)
  if (endpoint === 'oauth' && isEmbedded(request)) return true
  if (endpoint !== undefined && endpoint !== 'oauth') return isForeign(request)
  return request.method === 'POST' && isForeignForm(request)
}

/** What a page of another site loads: a picture, a script. Not a frame, in which test tools such as Cypress run everything. */
function isEmbedded({ headers }: ProviderRequest): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  return site === 'cross-site' && mode !== undefined && mode !== 'navigate'
}

/** Anything that another site sent. An address that somebody typed is not. */
function isForeign(request: ProviderRequest): boolean {
  const isTyped = request.headers['sec-fetch-site'] === 'none' && request.method === 'GET'
  return !isTyped && isForeignForm(request)
}

/** A form that another site sent. Every browser says so, in one header or the other; a test without a browser says nothing. */
function isForeignForm({ headers }: ProviderRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin, host = '' } = headers
  if (origin === undefined) return false
  // Compared as text: both leave out a default port, and a browser writes both in lower case.
  return origin.replace(/^https?:\/\//, '') !== host
}
