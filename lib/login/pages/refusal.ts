import { escapeUTF8 } from 'entities/escape'
import {
  isFailure,
  type OutcomeCode,
  PRIVATE_HEADERS,
  SocialLoginError,
  VERIFY_REFUSED,
  withoutAddress,
} from '../../errors'
import { type HTTPResponse, inertAtFirst, relativePath, renderPage } from './page'

const TITLE = 'Signing in did not succeed'

/** What the user reads, where the kind of the outcome would say too little. */
const FOR_PERSON: Partial<Record<OutcomeCode, string>> = {
  login_not_started: 'There is nothing left to finish here. If you are not signed in, please sign in again.',
  login_expired: 'That took too long. Please sign in again.',
  user_changed: 'Someone has signed in or out in this browser in the meantime, perhaps in another tab.',
  tab_mismatch: 'Please sign in again, and stay in one tab.',
  provider_unknown: 'There is nothing at this address to sign in with.',
  overloaded: 'Too many people are signing in at the moment. Please reload this page in a minute.',
  provider_rate_limited: 'Too many people are signing in at the moment. Please try again later.',
}

export interface VerifyRefusal {
  readonly code: 'verify_refused'
  readonly status: 401
  readonly message: string
  /** What the application says to the user. */
  readonly title: string
}

export const NOT_ACCEPTED = 'This application did not accept the account that you signed in with.'

/** @param reason what the application says to the user, if it is text */
export function verifyRefusal(reason: unknown): VerifyRefusal {
  const title = typeof reason === 'string' ? reason : NOT_ACCEPTED
  return { code: 'verify_refused', status: 401, message: VERIFY_REFUSED, title }
}

interface RefusalBody {
  readonly code: string
  readonly message: string
  readonly title: string
  /** Where to go on, relative to the address of the request. */
  readonly next: string
}

/** The response to a failed login that the application does not handle. It says first what the user can do. */
export function refusalResponse(error: SocialLoginError | VerifyRefusal, path: string, accept = ''): HTTPResponse {
  const { code, status } = error
  const message = withoutAddress(error.message)
  const [startPath = '/', errorHeaders] =
    error instanceof SocialLoginError ? [error.startPath, error.headers] : [undefined, PRIVATE_HEADERS]
  const next = relativePath(path, startPath)
  const label = startPath === '/' ? 'Go to the first page' : 'Sign in'
  const title = error instanceof SocialLoginError ? textFor(error) : error.title
  if (accept.includes('text/html')) {
    const { headers, body } = renderPage({ title: TITLE, main: mainOf({ code, message }, title, next, label) })
    // The headers of the error come last, because the page's own Referrer-Policy is weaker.
    return { status, headers: { ...headers, ...errorHeaders }, body }
  }
  const isJSON = /\bjson\b/i.test(accept)
  const body = isJSON
    ? JSON.stringify({ title, next, code, message } satisfies RefusalBody)
    : `${TITLE}. ${title}\nGo on at: ${next}\n\nFor the operator: ${message} (${code})\n`
  const type = isJSON ? 'application/json' : 'text/plain'
  return { status, headers: { ...errorHeaders, 'Content-Type': `${type}; charset=utf-8` }, body }
}

function textFor(error: SocialLoginError): string {
  const byKind = isFailure(error)
    ? 'Please try to sign in again.'
    : 'Signing in is not possible at the moment. Please try again later.'
  return FOR_PERSON[error.code] ?? byKind
}

function mainOf(
  { code, message }: Pick<RefusalBody, 'code' | 'message'>,
  title: string,
  next: string,
  label: string,
): string {
  return `<h1>${TITLE}</h1>
<p>${escapeUTF8(title)}</p>
${inertAtFirst(`<a href="${escapeUTF8(next)}" hidden>${label}</a>`, label)}
<section><h2>For the operator of this site</h2>
<p>${escapeUTF8(message)}</p>
<p>Code: <code>${code}</code></p></section>`
}
