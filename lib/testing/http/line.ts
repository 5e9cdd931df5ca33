import type { Answer, ProviderRequest } from './request'

// Matches what a browser requests by itself.
const ASSET = /^\/(?:style\.css|icon\.svg|favicon\.ico|pictures\/|covers\/|images\/|content\/)/
// Other segments could be keys or secrets that were sent to a wrong address.
const HARMLESS_SEGMENT = /^[a-z_-]{0,16}\d{0,2}$/

/** One line for a request: its time, its path and its outcome; no query, no body. Undefined for pictures and styles. */
export function lineFor({ method, pathname }: ProviderRequest, answer: Answer | undefined): string | undefined {
  if (ASSET.test(pathname)) return undefined
  const path = pathname.split('/').map((segment) => (HARMLESS_SEGMENT.test(segment) ? segment : '*'))
  const outcome = answer === undefined ? 'no answer' : `${answer.status} ${wordsIn(answer)}`
  const line = `${new Date().toTimeString().slice(0, 8)}  ${method} ${path.join('/').slice(0, 60)}  ${outcome}`
  return line.replace(/\p{Cc}/gu, '').trimEnd()
}

/** What the provider itself has written: the message of an error, the names of members, or the heading of a page. */
function wordsIn({ headers, body }: Answer): string {
  const text = String(body)
  if (headers['location'] !== undefined) return String(headers['location']).includes('auth_key=') ? 'with a key' : ''
  const [, words = ''] = /"message":"([^"]+)"/.exec(text) ?? /<h1>([^<]*)<\/h1>/.exec(text) ?? []
  if (words !== '') return words
  return text.includes('"access_token":') ? 'with a token' : text.includes('"user_id":') ? 'with a user' : ''
}
