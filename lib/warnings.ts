import { withAddress } from './errors'

/** The process warnings of type `SocialLoginWarning`, by `warning.code`. Each reports a likely mistake. */
export const WARNINGS = {
  AUTHENTICATE_CALLBACK_FAILED:
    'The callback of passport.authenticate() failed, or it was called without next, so that an error had nowhere to go: the response was an empty 500.',
  CALLBACK_SHARED:
    'Two providers at different addresses have one callbackURL: the auth_key of one may be sent to the other, which can then sign in as its users. Give each strategy, or each provider, its own callbackURL and route.',
  SECRET_IN_URL:
    "exchangeMethod 'get' sends the application secret in a URL, which servers, proxies and tracing tools write to their logs: use it only with a provider that refuses a POST, and renew the secret when the provider has been updated.",
  LOGIN_TOO_LATE:
    'A login ended after the response had been sent, so no one was signed in: a hook or handler has not waited for passport.authenticate() (in Fastify, return its promise), or a time limit of the application has sent the response.',
  NAME_SHARED:
    'Two strategies have one name and different baseURLs, so that user 1 of one provider is the same profile.provider and profile.id as user 1 of the other: give each strategy the option name. (The name in passport.use(name, strategy) does not reach the strategy.)',
  OPTION_MISSPELT:
    'An option of passport.authenticate() differs from one of this package only in capitals, "_" or "-", and has no effect: correct its name (returnTo, state, callbackURL), or give it to new Strategy().',
  PASSPORT_SESSION_MISSING:
    'The session holds a user whom Passport has signed in, and the request has none: mount passport.session() after the session middleware and before the routes, or all users seem signed out after the login.',
  SESSION_COOKIE_INSECURE:
    "The session's cookie was set without Secure, although callbackURL is https: behind a proxy that ends TLS, secure: 'auto' needs app.set('trust proxy', 1).",
  SESSION_COOKIE_NOT_SET:
    "The response of a start or of a login set no cookie of its session, so the user will not be signed in. Most likely the cookie is Secure and the request did not come by https, as the application sees it: behind a proxy that ends TLS, app.set('trust proxy', 1); on plain http in development, secure: 'auto'. Otherwise, nothing saves the session (its store, or the middleware's order).",
  SESSION_COOKIE_STRICT:
    "The login in progress is in a session whose cookie is SameSite=Strict, which browsers do not send when the provider redirects back: set sameSite: 'lax', or keep the login in a CookieStore.",
  START_HEADERS_MISSING:
    'The first three starts of a login came without Sec-Fetch-Site, Origin and Referer: if users get the confirm page again and again, a proxy or CDN removes these headers, and must forward them.',
  VERIFY_SETTLED_TWICE:
    'A verify function answered twice, or after verifyTimeout: the later answer was ignored. Make every path through it answer once.',
} as const

export type WarningCode = keyof typeof WARNINGS

// Bots also send starts without headers. Users also send some with headers, from the application's own pages.
const STARTS_BEFORE_WARNING = 3
let startsWithoutSource = 0

/** Warns where something in front of the application seems to remove the headers by which a start is verified. */
export function warnOfMissingHeaders(hasSource: boolean): void {
  startsWithoutSource = hasSource ? Number.NEGATIVE_INFINITY : startsWithoutSource + 1
  if (startsWithoutSource === STARTS_BEFORE_WARNING) warnOnce('START_HEADERS_MISSING')
}

const given = new Set<WarningCode>()

/** Emits a warning once, because it reports a mistake in the code, not an event. */
export function warnOnce(code: WarningCode): void {
  if (given.has(code)) return
  given.add(code)
  emit(code, warningText(code))
}

/** The sentence of a warning, for an error that stands in its place. */
export function warningText(code: WarningCode): string {
  return withAddress(WARNINGS[code], code)
}

let failures = 0

/** Warns of the first failure, the tenth, the hundredth and so on: anyone may be able to cause many. */
export function warnOfFailure(details: string): void {
  failures += 1
  if (!/^10*$/.test(String(failures))) return
  const code = 'AUTHENTICATE_CALLBACK_FAILED'
  emit(code, withAddress(`${WARNINGS[code]} (${failures} so far) ${details}`, code, '\n'))
}

function emit(code: WarningCode, message: string): void {
  // Older compatibility dates of workerd have no `emitWarning`.
  process.emitWarning?.(message, { type: 'SocialLoginWarning', code })
}
