import type { Answer } from '../http/answer'
import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { errorAnswer, jsonAnswer, maintenanceAnswer, oneOf } from './api-answer'

/** Section 4.2: exchanges an `auth_key` for an `access_token`. */
export function authorize(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours()
  if (behaviours.htmlAtStatus200) return maintenanceAnswer()
  const method = behaviours.getOnly ? 'GET' : 'POST'
  if (request.method !== method) return errorAnswer(behaviours, 405, `Use ${method}.`, { allow: method })
  if (!behaviours.getOnly && !request.isForm) return errorAnswer(behaviours, 415, 'Send a URL-encoded form.')
  return exchange(behaviours.getOnly ? request.query : request.form, request, state)
}

function exchange(parameters: URLSearchParams, request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours()
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
  return jsonAnswer(behaviours, json, 302, { location: `${request.origin}/api/authorize` })
}
