import type { Answer } from '../http/answer'
import type { ProviderRequest } from '../http/request'
import { guardRefusal } from '../pages/guard'
import { messagePage } from '../pages/layout'
import { pageFor } from '../pages/routes'
import type { State } from '../state/state'
import type { Endpoint } from '../types'
import { errorAnswer, firewallAnswer } from './api-answer'
import { authorize } from './authorize'
import { endpointOf } from './endpoints'
import { oauth } from './oauth'
import { getUserInfo, userMe } from './profile'

type Handler = (request: ProviderRequest, state: State) => Answer

const handlers: Readonly<Record<Endpoint, Handler>> = {
  oauth,
  authorize,
  'user/me': userMe,
  get_user_info: getUserInfo,
}

/** The refusal of a request that another website made a browser send; undefined if the request is allowed. */
export function refusalFor(request: ProviderRequest, state: State): Answer | undefined {
  const refusal = guardRefusal(request, state)
  if (refusal === undefined) return undefined
  const { status, title, message } = refusal
  if (!request.pathname.startsWith('/api/') || endpointOf(request.pathname) === 'oauth') {
    return messagePage(state, status, title, message)
  }
  return errorAnswer(state.behaviours(), status, message)
}

/** The response of one of the four endpoints or of a page, before any fault. */
export function answerFor(request: ProviderRequest, state: State): Answer {
  const endpoint = endpointOf(request.pathname)
  if (endpoint !== undefined)
    return isRefusedByFirewall(request, state) ? firewallAnswer() : handlers[endpoint](request, state)
  if (request.pathname.startsWith('/api/')) return errorAnswer(state.behaviours(), 404, 'There is nothing here.')
  return pageFor(request, state)
}

function isRefusedByFirewall({ headers }: ProviderRequest, state: State): boolean {
  return state.behaviours().requireUserAgent && !headers['user-agent']
}
