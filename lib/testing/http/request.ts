import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { apiPath, type ProviderBehaviours } from '../behaviours'
import type { Endpoint } from '../types'

/** The four endpoints by their path below that of the API. */
const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/oauth', 'oauth'],
  ['/authorize', 'authorize'],
  ['/v1/user/me', 'user/me'],
  ['/get_user_info', 'get_user_info'],
])

// No form of the API or the pages is longer, and the log keeps thousands of bodies.
const MAX_BODY_BYTES = 8192

/** A request with its complete body. */
export type ProviderRequest = Awaited<ReturnType<typeof readRequest>>

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
}

export function redirectTo(location: string, status = 302, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}

/** Media type of a `Content-Type` header, without parameters, in lower case. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1).join().trim().toLowerCase()
}

/** Reads a request; rejects when the client disconnects before its end. */
export async function readRequest(
  message: IncomingMessage,
  { origin, behaviours }: { origin: string | undefined; behaviours: ProviderBehaviours },
) {
  const { method = 'GET', url: path = '/', headers } = message
  const [pathname = '/'] = path.split('?')
  const body = await readBody(message)
  const isForm = mediaTypeOf(headers) === 'application/x-www-form-urlencoded'
  const isMultipart = mediaTypeOf(headers) === 'multipart/form-data'
  const scheme = 'encrypted' in message.socket ? 'https' : 'http'
  return {
    method,
    /** The request target as received: path and query. */
    path,
    pathname,
    /** The one of the four endpoints that it is for; undefined for a page. */
    endpoint: endpointAt(pathname, behaviours),
    query: new URLSearchParams(path.slice(pathname.length)),
    headers,
    body: body ?? '',
    /** The body's parameters; empty unless the body is a form of either kind. */
    form: isMultipart ? await readMultipart(body ?? '', headers) : new URLSearchParams(isForm ? body : ''),
    isForm,
    isMultipart,
    isTooLarge: body === undefined,
    /** The provider's origin as the client sees it. */
    origin: origin ?? `${scheme}://${headers.host ?? 'localhost'}`,
  }
}

function endpointAt(pathname: string, behaviours: ProviderBehaviours): Endpoint | undefined {
  const { looseRequests, oauth2Path } = behaviours
  const root = apiPath(behaviours)
  if (!pathname.startsWith(`${root}/`)) return undefined
  const path = pathname.slice(root.length)
  const plain = looseRequests ? path.replace(/\/$/, '') : path
  return oauth2Path && plain === '/oauth2' ? 'oauth' : ENDPOINTS.get(plain)
}

/** The texts of a multipart form; none if it is malformed. */
async function readMultipart(body: string, headers: IncomingHttpHeaders): Promise<URLSearchParams> {
  const parameters = new URLSearchParams()
  try {
    const form = await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
    for (const [name, value] of form) if (typeof value === 'string') parameters.append(name, value)
  } catch {
    // PHP has no values of a malformed form, either.
  }
  return parameters
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    size += chunk.length
    // The rest is read but not kept: a client that is still sending would not see the refusal.
    if (size <= MAX_BODY_BYTES) chunks.push(Buffer.from(chunk))
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')
}
