import { OUTCOMES, type OutcomeCode, SocialLoginError } from '../../lib'
import { isFailure, type Phase, withAddress } from '../../lib/errors'

// What programs rely on, and no one may change by mistake.
const NOT_RETRYABLE: readonly OutcomeCode[] = [
  ...(['navigation_required', 'session_unsupported', 'provider_unknown', 'provider_invalid'] as const),
  ...(['method_not_allowed', 'provider_redirected', 'provider_bad_response', 'profile_invalid'] as const),
]
const STATUSES: Readonly<Record<'failure' | 'error', Readonly<Record<number, readonly OutcomeCode[]>>>> = {
  failure: {
    400: ['auth_key_malformed'],
    401: ['auth_key_missing', 'auth_key_rejected'],
    403: [
      ...(['start_forbidden', 'navigation_required', 'callback_forged', 'login_not_started'] as const),
      ...(['login_expired', 'context_mismatch', 'user_changed', 'tab_mismatch'] as const),
    ],
    404: ['provider_unknown'],
    405: ['method_not_allowed'],
    503: ['speculative_request'],
  },
  error: {
    500: ['session_unsupported', 'provider_invalid'],
    502: [
      ...(['provider_unreachable', 'provider_redirected', 'provider_unavailable'] as const),
      ...(['provider_bad_response', 'profile_invalid', 'profile_unauthorized'] as const),
    ],
    503: ['session_unavailable', 'provider_rate_limited', 'overloaded'],
    504: ['provider_lookup_timeout', 'provider_timeout', 'verify_timeout'],
  },
}
const rows = Object.entries(STATUSES).flatMap(([type, statuses]) =>
  Object.entries(statuses).flatMap(([status, codes]) => codes.map((code) => ({ code, type, status: Number(status) }))),
)

test('each outcome has a row here', () => {
  expect(Object.keys(OUTCOMES).sort()).toEqual(rows.map(({ code }) => code).sort())
})

test.each(rows)('$code is of the type $type, with status $status', ({ code, type, status }) => {
  const retryable = !NOT_RETRYABLE.includes(code)
  const sentence = OUTCOMES[code].message
  const message = type === 'error' ? withAddress(sentence, code) : sentence
  expect(OUTCOMES[code]).toStrictEqual({ type, status, retryable, message: expect.stringMatching(/^[A-Z].+[.]$/) })
  const error = new SocialLoginError(code, 'callback')
  expect({ ...error }).toEqual({ code, status, phase: 'callback', retryable })
  expect([String(error), isFailure(error)]).toStrictEqual([`SocialLoginError: ${message}`, type === 'failure'])
})

test('an error may know better than its code whether to try again, when, and why', () => {
  const details = { hint: 'Because of this.', retryAfter: 0, retryable: false }
  const error = new SocialLoginError('overloaded', 'exchange', details)
  expect({ ...error }).toEqual({
    ...{ code: 'overloaded', status: 503, phase: 'exchange' },
    ...{ retryable: false, retryAfter: 0 },
  })
  expect(error.message).toBe(withAddress(`${OUTCOMES.overloaded.message} Because of this.`, 'overloaded'))
  expect(new SocialLoginError('profile_invalid', 'profile', { retryable: true }).retryable).toBe(true)
})

test.each<[OutcomeCode, Phase, details: object, more: object]>([
  ['login_expired', 'callback', {}, {}],
  ['overloaded', 'exchange', { retryAfter: 0 }, { 'Retry-After': '0' }],
  ['method_not_allowed', 'start', {}, { Allow: 'GET, POST' }],
  ['method_not_allowed', 'callback', {}, { Allow: 'GET' }],
])('the headers of %s at the %s are those of a private response, and its own', (code, phase, details, more) => {
  const shared = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  expect(new SocialLoginError(code, phase, details).headers).toStrictEqual({ ...shared, 'Social-Login': code, ...more })
})

test("an error of the application's own, with a code of its own, is for the operator", () => {
  const error = new SocialLoginError('overloaded', 'verify')
  for (const code of ['out_of_stock', 'toString', '__proto__']) {
    const own = Object.defineProperty(Object.create(error), 'code', { value: code })
    expect(isFailure(own)).toBe(false)
    expect(own.headers).not.toHaveProperty('Social-Login')
  }
})
