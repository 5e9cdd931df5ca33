import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Endpoint } from '../types'

/** The paths of the four endpoints. */
const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/api/oauth', 'oauth'],
  ['/api/authorize', 'authorize'],
  ['/api/v1/user/me', 'user/me'],
  ['/api/get_user_info', 'get_user_info'],
])

// No form of the API or the pages is longer. The log keeps thousands of bodies.
const MAX_BODY_BYTES = 8192

/** A request with its complete body. */
export type ProviderRequest = Awaited<ReturnType<typeof readRequest>>

/** The response of an endpoint or a page. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
}

/** A redirect without a body. */
export function redirectTo(location: string, status = 302, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}

/** Media type of a `Content-Type` header, without parameters, in lower case. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1).join().trim().toLowerCase()
}

/** Reads a request; rejects when the client disconnects before its end. */
export async function readRequest(message: IncomingMessage, origin: string | undefined) {
  const { method = 'GET', url: path = '/', headers } = message
  const [pathname = '/'] = path.split('?', 1)
  const body = await readBody(message)
  const isForm = mediaTypeOf(headers) === 'application/x-www-form-urlencoded'
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  return {
    method,
    /** The request target as received: path and query. */
    path,
    pathname,
    /** Which of the four endpoints it asks; undefined for a page. */
    endpoint: ENDPOINTS.get(pathname),
    query: new URLSearchParams(path.slice(pathname.length)),
    headers,
    body: body ?? '',
    /** The body's parameters; empty unless the body is a form. */
    form: new URLSearchParams(isForm ? body : ''),
    isForm,
    isTooLarge: body === undefined,
    /** The provider's origin as the client sees it. */
    origin: origin ?? `${scheme}://${headers.host ?? 'localhost'}`,
  }
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += chunk.length
    // Reads on but keeps nothing: a client that is still sending would not see the refusal.
    if (size <= MAX_BODY_BYTES) chunks.push(Buffer.from(chunk))
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')
}
