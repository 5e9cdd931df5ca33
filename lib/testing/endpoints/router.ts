import type { Answer } from '../http/answer'
import type { ProviderRequest } from '../http/request'
import { pageFor } from '../pages/routes'
import type { State } from '../state/state'
import type { Endpoint } from '../types'
import { errorAnswer } from './api-answer'
import { authorize } from './authorize'
import { endpointOf } from './endpoints'
import { oauth } from './oauth'
import { getUserInfo, userMe } from './profile'

type Handler = (request: ProviderRequest, state: State) => Answer | Promise<Answer>

const handlers: Readonly<Record<Endpoint, Handler>> = {
  oauth,
  authorize,
  'user/me': userMe,
  get_user_info: getUserInfo,
}

/** What the provider truly answers: one of the four endpoints, or a page. */
export async function answerFor(request: ProviderRequest, state: State): Promise<Answer> {
  const endpoint = endpointOf(request.pathname)
  if (endpoint !== undefined) return handlers[endpoint](request, state)
  if (request.pathname.startsWith('/api/')) return errorAnswer(state.behaviours(), 404, 'There is nothing here.')
  return pageFor(request, state)
}
