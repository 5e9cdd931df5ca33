import { escapeUTF8 } from 'entities/escape'
import type { FailureInfo, SocialLoginError } from '../../errors'
import { type HTTPResponse, renderPage } from './page'

const TITLE = 'The login has failed'

/** The response to a failed login that the application does not handle: a page, JSON or plain text, by `Accept`. */
export function refusalResponse(error: SocialLoginError, accept = ''): HTTPResponse {
  const { code, message, status } = error
  if (accept.includes('text/html')) {
    const { headers, body } = renderPage({ title: TITLE, main: `<h1>${TITLE}</h1>\n<p>${escapeUTF8(message)}</p>` })
    // The headers of the error come last, because the page's own Referrer-Policy is weaker.
    return { status, headers: { ...headers, ...error.headers }, body }
  }
  const isJSON = /\bjson\b/i.test(accept)
  const body = isJSON ? JSON.stringify({ code, message } satisfies FailureInfo) : `${message}\n`
  const type = isJSON ? 'application/json' : 'text/plain'
  return { status, headers: { ...error.headers, 'Content-Type': `${type}; charset=utf-8` }, body }
}
