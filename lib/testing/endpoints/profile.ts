import { type Answer, mediaTypeOf, type ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { errorAnswer, jsonAnswer, oneOf, serverPage } from './api-answer'
import { userJSON } from './user-json'

/** Section 4.3: the current user, identified by a bearer token. */
export function userMe(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours
  if (behaviours.withoutUserMe) return serverPage(404, 'Not Found')
  if (request.method !== 'GET') return errorAnswer(behaviours, 405, 'Use GET.', { allow: 'GET' })
  const token = /^Bearer ([\x21-\x7e]+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) {
    return errorAnswer(behaviours, 401, 'Send Authorization: Bearer ACCESS_TOKEN.', { 'www-authenticate': 'Bearer' })
  }
  if (!behaviours.contentTypeOptional && mediaTypeOf(request.headers) !== 'application/json') {
    return errorAnswer(behaviours, 415, 'Send Content-Type: application/json.')
  }
  return profileFor(token, request, state)
}

/** Section 4.4: the same user, identified by a token in the query. */
export function getUserInfo(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours
  const { looseRequests } = behaviours
  if (request.method !== 'GET' && !looseRequests) return errorAnswer(behaviours, 405, 'Use GET.', { allow: 'GET' })
  const inForm = looseRequests ? oneOf(request.form, 'access_token') : undefined
  const token = oneOf(request.query, 'access_token') ?? inForm
  if (token === undefined) return errorAnswer(behaviours, 401, 'Send access_token once, in the query.')
  return profileFor(token, request, state)
}

function profileFor(token: string, request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours
  const use = state.grants.use(token)
  if (use === undefined) {
    const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }
    return errorAnswer(behaviours, 401, 'The access_token is unknown or expired.', challenge)
  }
  if (use.refusedUntil !== undefined) return tooMany(use.refusedUntil, state)
  const user = state.users.get(use.userID)
  if (user !== undefined) return jsonAnswer(behaviours, userJSON(user, behaviours, request.origin))
  if (behaviours.goneUserAsEmptyArray) return jsonAnswer(behaviours, '[]')
  return errorAnswer(behaviours, 404, 'This user is gone.')
}

function tooMany(resetAt: number, state: State): Answer {
  const behaviours = state.behaviours
  const headers = {
    'retry-after': { 'retry-after': String(Math.ceil((resetAt - state.clock.now()) / 1000)) },
    'retry-after-date': { 'retry-after': new Date(resetAt).toUTCString() },
    'x-ratelimit': {
      'x-ratelimit-limit': String(state.rateLimit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
    },
    bare: {},
  }
  const message = `More than ${state.rateLimit} requests in an hour.`
  return errorAnswer(behaviours, 429, message, headers[behaviours.rateLimitAnswer])
}
