import { type Phase, SocialLoginError } from '../../errors'
import { MAX_HEADER_BYTES, MAX_TLS_MESSAGES, MAX_WIRE_BYTES } from '../../limits'
import type { Deadline } from '../deadline'
import { badResponse } from './response-reader'

// Hints by codes of Node's network, DNS and TLS, whose own messages may quote addresses. The first match is used.
const HINTS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^ECONNREFUSED$/, 'The connection was refused: nothing listens there, or a firewall rejects it.'],
  [/^(ENOTFOUND|EAI_[A-Z]+)$/, 'The host name could not be looked up (DNS).'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'This machine has no route to that address.'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'The connection did not open in time: does a firewall drop it?'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The connection was closed before the response was complete.'],
  [
    /^UNABLE_TO_/,
    'The certificate was not accepted, because its issuer is not known: the server does not send the certificates in between (browsers find them, Node does not), or a private CA has issued it (NODE_EXTRA_CA_CERTS).',
  ],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'The certificate was not accepted, because it is expired or not valid yet.'],
  [
    /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'The certificate was not accepted, because it is for another host name.',
  ],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_)/,
    'The certificate was not accepted, because it, or its CA, is of your own making (NODE_EXTRA_CA_CERTS).',
  ],
  [/^(CERT_|ERR_TLS_CERT_)/, 'The certificate was not accepted.'],
  [/^PRIVATE_ADDRESS$/, 'Its name leads to a private address, which is refused: see allowPrivateAddresses.'],
  [
    /^PROXY_AUTHENTICATION$/,
    'The proxy that the environment names asks for a user name and a password: put them into its URL.',
  ],
  [
    /^PROXY_REFUSED$/,
    'The proxy that the environment names refused to connect to the provider: see HTTPS_PROXY and NO_PROXY.',
  ],
  [
    /^ERR_SSL_(UNSAFE_LEGACY|UNSUPPORTED_PROTOCOL|DH_KEY_TOO_SMALL|.*ALERT_(PROTOCOL_VERSION|HANDSHAKE_FAILURE))/,
    'The TLS handshake failed: the server and Node have no version or cipher of TLS in common. It may be too old, although browsers still accept it: then it must be updated.',
  ],
  [/^(EPROTO|ERR_SSL_.*)$/, 'The TLS handshake failed: does that port speak https?'],
]

const NOT_THE_ADDRESS = 'The server, or something in front of it, must be mended, not baseURL.'
// Errors of undici for a connection that held, but delivered no valid HTTP response: by the reasons of its parser, which are
// fixed texts, and have no code. The first match is used.
const HTTP_HINTS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /Expected HTTP\//,
    'What came was no HTTP at all: is it the port of another protocol, or does that port want https?',
  ],
  [/content-length/i, `Its length is told wrongly: twice, beside chunks, or not as a number. ${NOT_THE_ADDRESS}`],
  [/chunk/i, `Its chunks are malformed. ${NOT_THE_ADDRESS}`],
  [/header|space after start line/i, `It has a header whose name or value HTTP does not allow. ${NOT_THE_ADDRESS}`],
  [/\b(CR|LF)\b/, `Its lines do not end as those of HTTP must, with CR and LF. ${NOT_THE_ADDRESS}`],
  [/^bad response$/i, `It sent a status such as 100 that no one had asked for. ${NOT_THE_ADDRESS}`],
  [/version|status/i, `Its first line has no version or no status of HTTP. ${NOT_THE_ADDRESS}`],
]
const BAD_RESPONSE_ERRORS: ReadonlySet<string> = new Set(['HTTPParserError', 'ResponseContentLengthMismatchError'])

/** A request failed because its open connection closed before the response began: the provider may not have read it. */
export class ClosedBeforeResponse extends Error {
  /** That of the connection's own error. */
  readonly code: string | undefined

  constructor(error: unknown) {
    super('the connection closed before the response began')
    this.code = errorCode(error)
  }
}

/**
 * The outcome of a request that failed with this error, or the reason of the caller's own signal. Names tell the errors
 * apart, because undici's parser errors have no stable code. An outcome has no `cause`, which could quote the request.
 */
export function outcomeOf(error: unknown, phase: Phase, deadline: Deadline): unknown {
  if (error instanceof SocialLoginError) return error
  if (deadline.expired) return new SocialLoginError('provider_timeout', phase)
  if (deadline.ended) return deadline.ended.reason
  // A dispatcher of the application may throw anything.
  const { name, message } = error instanceof Error ? error : new Error()
  if (name === 'ResponseExceededMaxSizeError')
    return badResponse(
      phase,
      `The response took more than ${MAX_WIRE_BYTES / 1024 ** 2} MiB, headers and framing included, or ${MAX_TLS_MESSAGES} messages of TLS without any of it.`,
    )
  if (name === 'HeadersOverflowError')
    return badResponse(
      phase,
      `The headers of the response have more than ${MAX_HEADER_BYTES / 1024} KiB, which is a limit of this package, not of HTTP: a dispatcher of your own has its own (maxHeaderSize).`,
    )
  if (BAD_RESPONSE_ERRORS.has(name) || (name === 'SocketError' && message === 'bad response')) {
    const hint = HTTP_HINTS.find(([reason]) => reason.test(message))?.[1] ?? 'It breaks the rules of HTTP.'
    return badResponse(phase, `The response was not proper HTTP. ${hint}`)
  }
  // An error of the engine, such as of memory that WebAssembly cannot get: the network has not failed.
  if (ENGINE_ERRORS.has(name) && errorCode(error) === undefined) return new Error(`${ENGINE_FAILED} (${name})`)
  return unreachable(phase, error)
}

const ENGINE_ERRORS: ReadonlySet<string> = new Set([
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'EvalError',
  'CompileError',
  'LinkError',
  'RuntimeError',
])
const ENGINE_FAILED =
  'The request to the provider failed inside of this process, and not on the network: is its memory, or its address space, exhausted?'

export function unreachable(phase: Phase, error: unknown): SocialLoginError {
  return new SocialLoginError('provider_unreachable', phase, { hint: unreachableHint(error) })
}

/** A fixed sentence about a failed connection, if the error's code tells what failed. */
export function unreachableHint(error: unknown): string | undefined {
  const code = errorCode(error)
  return HINTS.find(([codes]) => code?.match(codes))?.[1]
}

export function errorCode(error: unknown): string | undefined {
  const code: unknown = Reflect.get(Object(error), 'code')
  return typeof code === 'string' ? code : undefined
}
