import type { Answer } from '../http/answer'
import { mediaTypeOf, type ProviderRequest } from '../http/request'
import type { Refusal } from '../state/rate-limit'
import type { State } from '../state/state'
import { errorAnswer, jsonAnswer, maintenanceAnswer, missingAnswer, oneOf } from './api-answer'
import { userJSON } from './user-json'

/** Section 4.3: the current user, identified by a bearer token. */
export function userMe(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours()
  if (behaviours.htmlAtStatus200) return maintenanceAnswer()
  if (behaviours.withoutUserMe) return missingAnswer()
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

/** Section 4.4: the same person, identified by a token in the query. */
export function getUserInfo(request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours()
  if (behaviours.htmlAtStatus200) return maintenanceAnswer()
  if (request.method !== 'GET') return errorAnswer(behaviours, 405, 'Use GET.', { allow: 'GET' })
  const token = oneOf(request.query, 'access_token')
  if (token === undefined) return errorAnswer(behaviours, 401, 'Send access_token once, in the query.')
  return profileFor(token, request, state)
}

function profileFor(token: string, request: ProviderRequest, state: State): Answer {
  const behaviours = state.behaviours()
  const holder = state.grants.holderOf(token)
  if (holder === undefined) {
    const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }
    return errorAnswer(behaviours, 401, 'The access_token is unknown or expired.', challenge)
  }
  const refusal = state.rateLimit.refusalFor(holder)
  if (refusal !== undefined) return tooMany(refusal, state)
  const user = state.users.get(holder.userID)
  if (user !== undefined) return jsonAnswer(behaviours, userJSON(user, behaviours, request.origin))
  if (behaviours.goneUserAsEmptyArray) return jsonAnswer(behaviours, '[]')
  return errorAnswer(behaviours, 404, 'This person is gone.')
}

function tooMany({ resetAt, secondsLeft, limit }: Refusal, state: State): Answer {
  const behaviours = state.behaviours()
  const headers = {
    'retry-after': { 'retry-after': String(secondsLeft) },
    'retry-after-date': { 'retry-after': new Date(resetAt).toUTCString() },
    'x-ratelimit': {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
    },
    bare: {},
  }
  return errorAnswer(behaviours, 429, `More than ${limit} requests in an hour.`, headers[behaviours.rateLimitAnswer])
}
