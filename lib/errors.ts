import { MAX_AUTH_KEY_LENGTH } from './limits'
import { checkArguments, finite, flag, object, oneOf, optional, string } from './values'

/**
 * The part of a login in which something went wrong.
 * @example
 * if (error.phase === 'verify') alert('our own database, not the provider')
 */
export type Phase = 'start' | 'callback' | 'exchange' | 'profile' | 'verify'

interface Outcome {
  readonly type: 'failure' | 'error'
  readonly status: number
  /** Whether a new attempt may succeed without any change, unless the error knows better. Default true. */
  readonly retryable: boolean
  readonly message: string
}

const outcome =
  (type: Outcome['type']) =>
  (status: number, message: string, { retryable = true } = {}): Outcome => ({ type, status, retryable, message })
/** What the user can fix: Passport's `failureRedirect`. */
const fail = outcome('failure')
/** What the operator must see: `next(err)`. */
const error = outcome('error')

/**
 * Every outcome of a login that is not a success. Messages are fixed text without anything from a request or response.
 * @example
 * const { type, status, retryable, message } = OUTCOMES.login_expired // 'failure', 403, true, 'The login took …'
 */
export const OUTCOMES = {
  start_forbidden: fail(403, 'The login was not started from a page of this application: follow its login link.'),
  navigation_required: fail(
    403,
    'A script requested the start of the login (fetch, XMLHttpRequest): navigate there instead, by a link or location.assign().',
    { retryable: false },
  ),
  speculative_request: fail(
    503,
    'The browser requested the login speculatively (prefetch, prerender or the preload of a service worker): it starts when the user follows the link.',
  ),
  session_unavailable: error(
    503,
    'The login in progress could not be stored or read: mount session middleware before passport.authenticate() and check that its store responds.',
  ),
  session_unsupported: error(
    500,
    'Passport cannot sign users in with this session, because it lacks regenerate or save (cookie-session has neither): add both, or pass session: false to passport.authenticate().',
    { retryable: false },
  ),
  provider_unknown: fail(404, 'There is no such provider: start the login from a page that lists the providers.', {
    retryable: false,
  }),
  provider_invalid: error(500, 'The application has returned a provider that cannot be used: correct its record.', {
    retryable: false,
  }),
  provider_lookup_timeout: error(
    504,
    'The application did not find the provider in time: make every path through the provider function settle its promise, or raise timeout.',
  ),
  method_not_allowed: fail(
    405,
    'A login starts with GET or POST and returns with GET: check the method of the request.',
    {
      retryable: false,
    },
  ),
  auth_key_missing: fail(401, 'The callback was opened without an auth_key: start the login again.'),
  auth_key_malformed: fail(
    400,
    `The callback must carry exactly one auth_key of 1 to ${MAX_AUTH_KEY_LENGTH} visible characters: start the login again.`,
  ),
  callback_forged: fail(
    403,
    'The callback does not look like one of the provider: start the login again from this application.',
  ),
  login_not_started: fail(
    403,
    'No login is in progress in this browser: none was started here, or it is over. If no one is signed in, start the login again.',
  ),
  login_expired: fail(
    403,
    'The login took too long, or the clocks of the servers differ by too much: start the login again.',
  ),
  context_mismatch: fail(
    403,
    'The login in progress belongs to another provider or application: start the login again; if no login succeeds, give each strategy its own callbackURL and its own application at the provider, which knows one redirect URL for each.',
  ),
  user_changed: fail(403, 'A different user is signed in than when the login started: start the login again.'),
  tab_mismatch: fail(
    403,
    'The login returned in a different tab than the one it was started in: start the login again.',
  ),
  auth_key_rejected: fail(
    401,
    'The provider refused the auth_key: start the login again; if no login succeeds, check clientID and clientSecret.',
  ),
  provider_unreachable: error(
    502,
    'The connection to the provider failed (refused, reset, DNS or TLS): check that baseURL can be reached from this machine.',
  ),
  provider_timeout: error(
    504,
    'The provider did not answer within the deadline: try again, or raise the timeout option.',
  ),
  provider_redirected: error(
    502,
    'The provider answered with a redirect, which is never followed, because it would take the secret or the token elsewhere.',
    { retryable: false },
  ),
  provider_unavailable: error(502, 'The provider answered with a server error (5xx): try again later.'),
  provider_rate_limited: error(
    503,
    'The provider refused the request because of its rate limit: try again later, after retryAfter seconds if they are given.',
  ),
  provider_bad_response: error(
    502,
    'The provider answered with something that the Social Login API does not allow: check baseURL.',
    { retryable: false },
  ),
  profile_invalid: error(
    502,
    'The response of the profile endpoint holds no profile that can be used: report it to the provider.',
    { retryable: false },
  ),
  profile_unauthorized: error(
    502,
    'The provider refused to give the profile, because of the access token, or because the user is banned or gone: start the login again; if no login succeeds, use its other profile endpoint (user/me or get_user_info).',
  ),
  overloaded: error(
    503,
    'Too many logins are waiting for the provider: reload the page shortly (its key is unspent), or raise maxConcurrentLogins.',
  ),
  verify_timeout: error(
    504,
    'The application did not answer in time: make every path through the verify function call done or settle its promise, or raise verifyTimeout.',
  ),
} as const satisfies Record<string, Outcome>

/**
 * A stable, machine-readable name of an outcome. docs/errors.md has a heading for each.
 * @example
 * const texts: Partial<Record<OutcomeCode, string>> = { login_expired: 'That took too long.' }
 */
export type OutcomeCode = keyof typeof OUTCOMES

/**
 * What the application gets for a failed login: Passport's `info` (`failureMessage` shows its `message`).
 * @example
 * passport.authenticate('social-login', (error: unknown, user: unknown, info?: Partial<FailureInfo>) => {
 *   console.log(info?.code)
 * })
 */
export interface FailureInfo {
  /** The outcome, for programs. */
  readonly code: OutcomeCode
  /** A fixed sentence with cause and cure, safe to show: it contains nothing from the request. */
  readonly message: string
  /** The local path given to the start, for a link to try again; absent unless the callback belongs to that login. */
  readonly returnTo?: string
}

const PAGE = 'passport-social-login/docs/errors.md'

/** A sentence for the operator, with the address of the heading that explains the code of an outcome or a warning. */
export function withAddress(sentence: string, code: string, separator = ' '): string {
  return `${sentence}${separator}See ${PAGE}#${code.toLowerCase()}`
}

/** The message of an error as a page for visitors has it, to whom the address is of no use. */
export function withoutAddress(message: string): string {
  const end = message.lastIndexOf(`See ${PAGE}#`)
  return end === -1 ? message : message.slice(0, end).trimEnd()
}

/** The sentence for `verify_refused`, which is no outcome of this package: the application has refused the user. */
export const VERIFY_REFUSED = 'The verify function did not accept the user.'

/**
 * What {@link SocialLoginError} may carry beyond its code.
 * @example
 * new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
 */
export interface SocialLoginErrorDetails {
  /** A fixed sentence that narrows the cause. Never text from outside, but for plain names of members of a profile. */
  readonly hint?: string | undefined
  /** Seconds to wait before the next try, 0 to 86,400. */
  readonly retryAfter?: number
  /** Whether a new attempt may succeed, where this case differs from the others of its code. */
  readonly retryable?: boolean
}

/**
 * The only error class of this package: the {@link Strategy} passes it to `next(err)`, the `SocialLoginClient` rejects
 * with it. If it is for the operator, its message ends with the address of the heading of docs/errors.md that explains
 * its code. It holds no secret, key, token or body, no `cause`, and no URL but {@link startPath}, which no log shows.
 * @example
 * import type { ErrorRequestHandler } from 'express'
 *
 * const handleErrors: ErrorRequestHandler = (err, req, res, next) => {
 *   if (err instanceof SocialLoginError && err.retryable) return res.redirect('/login?error=' + err.code)
 *   next(err)
 * }
 * app.use(handleErrors)
 */
export class SocialLoginError extends Error {
  /** The outcome, for programs. See {@link OUTCOMES}. */
  readonly code: OutcomeCode
  /** The HTTP status with which Express answers. */
  readonly status: number
  /** The part of the login that failed. */
  readonly phase: Phase
  /** Whether a new attempt may succeed without any change. */
  readonly retryable: boolean
  /** Seconds to wait before the next try, 0 to 86,400, where known. */
  readonly retryAfter?: number
  /** Path and query at which this browser started the login, where known, for the link of a page about the failure. */
  readonly startPath?: string

  /** @throws TypeError or RangeError for wrong arguments */
  constructor(code: OutcomeCode, phase: Phase, details: SocialLoginErrorDetails = {}) {
    checkArguments('SocialLoginError', ARGUMENTS, [code, phase, details])
    const { type, message, status, retryable } = OUTCOMES[code]
    const text = details.hint === undefined ? message : `${message} ${details.hint}`
    super(type === 'error' ? withAddress(text, code) : text)
    this.code = code
    this.status = status
    this.phase = phase
    this.retryable = details.retryable ?? retryable
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter
  }

  /** Headers for the response: Express's and Connect's own error handlers drop those set before and send these. */
  get headers(): Record<string, string> {
    return {
      ...PRIVATE_HEADERS,
      // A subclass may have a code that no header can hold.
      ...(isOutcome(this.code) && mark(this.code)),
      ...(this.retryAfter !== undefined && { 'Retry-After': String(this.retryAfter) }),
      ...(this.code === 'method_not_allowed' && { Allow: this.phase === 'start' ? 'GET, POST' : 'GET' }),
    }
  }
}

const ARGUMENTS = {
  code: oneOf(...Object.keys(OUTCOMES)),
  phase: oneOf('start', 'callback', 'exchange', 'profile', 'verify'),
  details: object('an object of details', {
    hint: optional(string),
    retryable: optional(flag),
    retryAfter: optional({ ...finite, must: 'a number of seconds, 0 or more', inRange: (value) => Number(value) >= 0 }),
  }),
}

/** Whether the user can fix it; an application's subclass may have another code, which is for the operator. */
export function isFailure({ code }: SocialLoginError): boolean {
  return isOutcome(code) && OUTCOMES[code].type === 'failure'
}

export function isOutcome(code = ''): code is OutcomeCode {
  return Object.hasOwn(OUTCOMES, code)
}

export type Mark = OutcomeCode | 'start' | 'confirm' | 'tab' | 'login' | 'application_error'

/** A header of every response of a login: the network tab of a browser shows by it what the response is. */
export function mark(word: Mark): Record<'Social-Login', Mark> {
  return { 'Social-Login': word }
}

// The name is on the prototype, so that it survives minifiers and is no property of each error.
Object.defineProperty(SocialLoginError.prototype, 'name', { value: 'SocialLoginError' })

/** For every response to a start or a callback: its URL may carry a key, which caches and other sites must not get. */
export const PRIVATE_HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' } as const
