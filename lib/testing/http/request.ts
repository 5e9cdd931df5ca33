import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { checkedHost } from '../address'
import { limits } from '../limits'

/** A request with its complete body. */
export interface ProviderRequest {
  readonly method: string
  /** The request target as received: path and query. */
  readonly path: string
  readonly pathname: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The body's parameters; empty unless the body is a form. */
  readonly form: URLSearchParams
  readonly isForm: boolean
  readonly isTooLarge: boolean
  /** The provider's origin as the client sees it. */
  readonly origin: string
}

/** Media type of a `Content-Type` header, without parameters, in lower case. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1).join().trim().toLowerCase()
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    // Keeps reading but discards: a client that is still sending would not see the refusal.
    if (size <= limits.body) chunks.push(bytes)
    else chunks.length = 0
    // Leaving the loop closes the connection: this client might never stop sending.
    if (size > limits.bodyOnTheWire) throw new RangeError('the request body is too large')
  }
  return size > limits.body ? undefined : Buffer.concat(chunks).toString('utf8')
}

/** Reads a request; rejects when the client disconnects before its end. */
export async function readRequest(message: IncomingMessage, origin: string | undefined): Promise<ProviderRequest> {
  const path = message.url ?? '/'
  const [pathname = '/'] = path.split('?', 1)
  const body = await readBody(message)
  const isForm = mediaTypeOf(message.headers) === 'application/x-www-form-urlencoded'
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  return {
    method: message.method ?? 'GET',
    path,
    pathname,
    query: new URLSearchParams(path.slice(pathname.length)),
    headers: message.headers,
    body: body ?? '',
    form: new URLSearchParams(isForm ? body : ''),
    isForm,
    isTooLarge: body === undefined,
    origin: origin ?? `${scheme}://${checkedHost(message.headers.host) ?? 'localhost'}`,
  }
}
