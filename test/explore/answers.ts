type HTTPAnswer = readonly [status: number, body: string]

/** How a provider may answer the exchange of a key, and then the request for the profile. */
export interface Answer {
  readonly story: string
  /** Undefined where the connection is lost. */
  readonly exchange: HTTPAnswer | undefined
  /** Instead of the person's profile. */
  readonly profile?: HTTPAnswer
  readonly spendsKey: boolean
  /** The outcome; undefined for a login. */
  readonly code: string | undefined
}

/** The token of a key is the key itself: the provider of these worlds keeps no tokens. */
function granted(story: string, code?: string, profile?: HTTPAnswer): Answer {
  return { story, exchange: [200, '{"access_token":"KEY"}'], spendsKey: true, code, ...(profile && { profile }) }
}

function failed(story: string, code: string, exchange: HTTPAnswer | undefined, spendsKey = false): Answer {
  return { story, exchange, spendsKey, code }
}

export const ANSWERS = {
  granted: granted('exchanges the key'),
  refused: failed('refuses the key', 'auth_key_rejected', [200, '{"error":true,"message":"Invalid auth_key"}']),
  lost: failed('is not reached', 'provider_unreachable', undefined),
  'spent and lost': failed('exchanges the key, and the answer is lost', 'provider_unreachable', undefined, true),
  redirected: failed('answers with a redirect', 'provider_redirected', [302, '']),
  unavailable: failed('answers with 500', 'provider_unavailable', [500, '']),
  limited: failed('answers with 429', 'provider_rate_limited', [429, '']),
  nonsense: failed('answers with a text', 'provider_bad_response', [200, 'hello']),
  'no person': granted('exchanges the key, and knows no person', 'profile_invalid', [200, '{"user_id":""}']),
  'no access': granted('exchanges the key, and refuses the token', 'profile_unauthorized', [401, '{}']),
} as const satisfies Record<string, Answer>

export type AnswerName = keyof typeof ANSWERS

export function isAnswer(name: string): name is AnswerName {
  return Object.hasOwn(ANSWERS, name)
}
