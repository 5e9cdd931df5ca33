import { endpointOf } from '../endpoints/endpoints'
import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'

/** Why a request is refused before it is handled or logged. */
export interface GuardRefusal {
  readonly status: 403 | 421
  readonly title: string
  readonly message: string
}

/**
 * Refuses requests that another website makes its visitor's browser send, because this provider has no passwords. A
 * refused request is not logged and does not consume a queued fault.
 */
export function guardRefusal(request: ProviderRequest, state: State): GuardRefusal | undefined {
  // DNS rebinding: the website's name resolves to this machine, so its scripts could read every response.
  if (!state.trustsHost(request.headers.host ?? '')) {
    const message = `This provider is at ${request.origin}. Set the option origin to use another name.`
    return { status: 421, title: 'Wrong address', message }
  }
  if (isUnwelcome(request)) {
    return { status: 403, title: 'Cross-site request', message: 'This request was sent by another site.' }
  }
  return undefined
}

/**
 * Three of the endpoints are for servers; browsers may navigate to the fourth from any site, but not load it otherwise.
 */
function isUnwelcome(request: ProviderRequest): boolean {
  const endpoint = endpointOf(request.pathname)
  if (endpoint === 'oauth' && isEmbedded(request)) return true
  if (endpoint !== undefined && endpoint !== 'oauth') return isForeign(request)
  return request.method === 'POST' && isForeignForm(request)
}

/**
 * A subresource of another site's page, such as an image or a script. Not a frame: Cypress runs applications in one.
 * Chromium sends no Fetch Metadata to open a WebSocket.
 */
function isEmbedded({ headers }: ProviderRequest): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-websocket-key': webSocketKey } = headers
  if (webSocketKey !== undefined) return true
  return site === 'cross-site' && mode !== undefined && mode !== 'navigate'
}

/** Whether another site caused the request. A typed address does not count. */
function isForeign(request: ProviderRequest): boolean {
  const isTyped = request.headers['sec-fetch-site'] === 'none' && request.method === 'GET'
  return !isTyped && isForeignForm(request)
}

/**
 * Whether another site submitted the form. Browsers send at least one of the two headers, HTTP clients in tests
 * neither.
 */
function isForeignForm({ headers }: ProviderRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin, host = '' } = headers
  if (origin === undefined) return false
  // Compared as text: both leave out a default port, and a browser writes both in lower case.
  return origin.replace(/^https?:\/\//, '') !== host
}
