import { OUTCOMES, SocialLoginError } from '../../../../lib'
import { Deadline } from '../../../../lib/client/deadline'
import { ClosedBeforeResponse, outcomeOf, unreachable } from '../../../../lib/client/http/network-errors'
import { withoutAddress } from '../../../../lib/errors'
import { expectOutcome } from '../../../support/outcomes'

const { message } = OUTCOMES.provider_unreachable
const hintFor = (error: unknown): string =>
  withoutAddress(unreachable('exchange', error).message).slice(message.length + 1)
const coded = (code: unknown): Error => Object.assign(new Error('connect to 10.0.0.1'), { code })

const UNTRUSTED = 'The certificate was not accepted'
const HINTS: readonly (readonly [codes: string, hint: string])[] = [
  ['ECONNREFUSED', 'The connection was refused: nothing listens there, or a firewall rejects it.'],
  ['ENOTFOUND EAI_AGAIN', 'The host name could not be looked up (DNS).'],
  ['EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL', 'This machine has no route to that address.'],
  ['ETIMEDOUT UND_ERR_CONNECT_TIMEOUT', 'The connection did not open in time: does a firewall drop it?'],
  ['ECONNRESET EPIPE UND_ERR_SOCKET', 'The connection was closed before the response was complete.'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    `${UNTRUSTED}, because its issuer is not known: the server does not send the certificates in between (browsers find them, Node does not), or a private CA has issued it (NODE_EXTRA_CA_CERTS).`,
  ],
  ['CERT_HAS_EXPIRED CERT_NOT_YET_VALID', `${UNTRUSTED}, because it is expired or not valid yet.`],
  ['ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH', `${UNTRUSTED}, because it is for another host name.`],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN',
    `${UNTRUSTED}, because it, or its CA, is of your own making (NODE_EXTRA_CA_CERTS).`,
  ],
  [
    'CERT_REVOKED CERT_HAS_EXPIRED_ CERT_NOT_YET_VALID_ ERR_TLS_CERT_OTHER ERR_TLS_CERT_ALTNAME_INVALID_',
    `${UNTRUSTED}.`,
  ],
  ['PRIVATE_ADDRESS', 'Its name leads to a private address, which is refused: see allowPrivateAddresses.'],
  [
    'PROXY_AUTHENTICATION',
    'The proxy that the environment names asks for a user name and a password: put them into its URL.',
  ],
  [
    'PROXY_REFUSED',
    'The proxy that the environment names refused to connect to the provider: see HTTPS_PROXY and NO_PROXY.',
  ],
  [
    'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED ERR_SSL_UNSUPPORTED_PROTOCOL ERR_SSL_DH_KEY_TOO_SMALL ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'The TLS handshake failed: the server and Node have no version or cipher of TLS in common. It may be too old, although browsers still accept it: then it must be updated.',
  ],
  ['EPROTO ERR_SSL_WRONG_VERSION_NUMBER', 'The TLS handshake failed: does that port speak https?'],
]

test.each(HINTS.flatMap(([codes, hint]) => codes.split(' ').map((code) => [code, hint])))(
  'the code %s has its hint, and one that only ends like it has none',
  (code, hint) => {
    expect(hintFor(coded(code))).toBe(hint)
    // Several addresses were tried.
    expect(hintFor(Object.assign(new AggregateError([coded(code)]), { code }))).toBe(hint)
    expect(hintFor(coded(`X_${code}`))).toBe('')
  },
)

test.each(
  [
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'HOSTNAME_MISMATCH'],
    ...['PRIVATE_ADDRESS', 'PROXY_AUTHENTICATION', 'PROXY_REFUSED', 'EPROTO'],
  ].map((code) => `${code}_2`),
)('the code %s, which is longer than one with a hint, has none', (code) => {
  expect(hintFor(coded(code))).toBe('')
})

test.each([[undefined], [null], ['ECONNREFUSED'], [new Error('x')], [coded('EOTHER')], [coded(7)], [coded({})]])(
  'there is no hint, and nothing is quoted, for %p',
  (error) => {
    expect(hintFor(error)).toBe('')
    expect(unreachable('profile', error)).toMatchObject({ phase: 'profile', code: 'provider_unreachable' })
  },
)

/** The outcome of an exchange that fails with this error, while there is time left. */
function outcomeIn(error: unknown, deadline = new Deadline(1000)): unknown {
  deadline.clear()
  return outcomeOf(error, 'exchange', deadline)
}

const named = (name: string, text: string): Error => Object.assign(new Error(text), { name })

test.each(['RangeError', 'ReferenceError', 'SyntaxError', 'EvalError', 'CompileError', 'LinkError', 'RuntimeError'])(
  'a %s is a failure of this process, and one with a code of the network',
  (name) => {
    const error = named(name, 'WebAssembly.instantiate(): Out of memory (canary)')
    expect(outcomeIn(error)).toEqual(
      new Error(
        `The request to the provider failed inside of this process, and not on the network: is its memory, or its address space, exhausted? (${name})`,
      ),
    )
    expectOutcome(outcomeIn(Object.assign(error, { code: 'ERR_OUT_OF_RANGE' })), 'provider_unreachable', 'exchange')
  },
)

const MENDED = 'The server, or something in front of it, must be mended, not baseURL.'
const LENGTH = `Its length is told wrongly: twice, beside chunks, or not as a number. ${MENDED}`
const HEADER = `It has a header whose name or value HTTP does not allow. ${MENDED}`
const LINES = `Its lines do not end as those of HTTP must, with CR and LF. ${MENDED}`
const FIRST_LINE = `Its first line has no version or no status of HTTP. ${MENDED}`

test.each([
  ['Expected HTTP/', 'What came was no HTTP at all: is it the port of another protocol, or does that port want https?'],
  ["Content-Length can't be present with Transfer-Encoding", LENGTH],
  ['Invalid character in chunk size', `Its chunks are malformed. ${MENDED}`],
  ['Invalid header token', HEADER],
  ['Unexpected space after start line', HEADER],
  ['Missing expected CR', LINES],
  ['Missing expected LF', LINES],
  ['Invalid HTTP version', FIRST_LINE],
  ['Invalid status code', FIRST_LINE],
  ['Invalid CRUMB (canary)', 'It breaks the rules of HTTP.'],
])('a response that breaks HTTP is told by the reason of the parser: %s', (reason, hint) => {
  for (const name of ['HTTPParserError', 'ResponseContentLengthMismatchError']) {
    const { message } = expectOutcome(outcomeIn(named(name, reason)), 'provider_bad_response', 'exchange')
    expect(withoutAddress(message)).toBe(
      `${OUTCOMES.provider_bad_response.message} The response was not proper HTTP. ${hint}`,
    )
  }
})

test.each([
  [
    'ResponseExceededMaxSizeError',
    'The response took more than 1 MiB, headers and framing included, or 16 messages of TLS without any of it.',
  ],
  [
    'HeadersOverflowError',
    'The headers of the response have more than 6 KiB, which is a limit of this package, not of HTTP: a dispatcher of your own has its own (maxHeaderSize).',
  ],
])('a %s names the limit', (name, hint) => {
  const { message } = expectOutcome(outcomeIn(named(name, 'canary')), 'provider_bad_response', 'exchange')
  expect(withoutAddress(message)).toBe(`${OUTCOMES.provider_bad_response.message} ${hint}`)
})

test('an outcome is kept, and the reason of a lost connection or of an abort is looked at', () => {
  const outcome = new SocialLoginError('overloaded', 'exchange')
  expect(outcomeIn(outcome)).toBe(outcome)
  expect(outcomeIn(new ClosedBeforeResponse(coded('ECONNRESET')))).toEqual(outcomeIn(coded('ECONNRESET')))
  const aborted = new Deadline(1000, AbortSignal.abort('no longer needed'))
  expect(outcomeIn(coded('ECONNRESET'), aborted)).toBe('no longer needed')
  const late = new Deadline(1000, AbortSignal.abort(new DOMException('late', 'TimeoutError')))
  expectOutcome(outcomeIn(coded('ECONNRESET'), late), 'provider_timeout', 'exchange')
  for (const error of [undefined, null, 'HTTPParserError', { name: 'HTTPParserError' }])
    expectOutcome(outcomeIn(error), 'provider_unreachable', 'exchange')
})
