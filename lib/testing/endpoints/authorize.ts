import { apiPath, type ProviderBehaviours } from '../behaviours'
import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { errorAnswer, jsonAnswer, oneOf, serverPage } from './api-answer'

/** Section 4.2: exchanges an `auth_key` for an `access_token`. */
export function authorize(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours
  if (behaviours.getOnly)
    return readsQuery(request, behaviours) ? exchange(request.query, request, state) : refusedPost(behaviours)
  if (request.method === 'GET' && behaviours.getAndPost) return exchange(request.query, request, state)
  if (request.method !== 'POST') return errorAnswer(behaviours, 405, 'Use POST.', { allow: 'POST' })
  if (!request.isForm && !(behaviours.looseRequests && request.isMultipart))
    return errorAnswer(behaviours, 415, 'Send a URL-encoded form.')
  return exchange(request.form, request, state)
}

/** PHP's `$_GET` holds the query of a request of any method. */
function readsQuery({ method, query }: ProviderRequest, { postAnswer }: ProviderBehaviours): boolean {
  return method === 'GET' || (postAnswer === 'invalid-app-id' && query.has('app_id'))
}

/** The refusal of a server that reads the query alone. */
function refusedPost(behaviours: ProviderBehaviours): Answer {
  if (behaviours.postAnswer === 'not-found') return serverPage(404, 'Not Found')
  if (behaviours.postAnswer === 'method-not-allowed') {
    return errorAnswer({ ...behaviours, errorsAtStatus200: false }, 405, 'Use GET.', { allow: 'GET' })
  }
  return errorAnswer({ ...behaviours, errorsAtStatus200: true }, 400, 'invalid app_id')
}

function exchange(parameters: URLSearchParams, request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours
  const appID = oneOf(parameters, 'app_id')
  const appSecret = oneOf(parameters, 'app_secret')
  const authKey = oneOf(parameters, 'auth_key')
  if (appID === undefined || appSecret === undefined || authKey === undefined) {
    return errorAnswer(behaviours, 400, 'Send app_id, app_secret and auth_key, each once.')
  }
  if (state.applications.get(appID)?.appSecret !== appSecret) {
    return errorAnswer(behaviours, 401, 'Wrong app_id or app_secret.')
  }
  const token = state.grants.exchange(authKey, appID)
  if (token === undefined) return errorAnswer(behaviours, 400, 'The auth_key is unknown, used or expired.')
  const json = JSON.stringify({ access_token: token })
  if (!behaviours.redirectWithJSONBody) return jsonAnswer(behaviours, json)
  return jsonAnswer(behaviours, json, 302, { location: `${request.origin}${apiPath(behaviours)}/authorize` })
}
