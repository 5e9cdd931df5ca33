import { setImmediate, setTimeout } from 'node:timers'
import { deflateSync, gzipSync } from 'node:zlib'
import type { OutcomeCode } from '../../lib'
import { answer, RAW_MARKER, type RawRequest, type Wire } from './raw-provider'

/** The expected outcome of a login. */
export type Expected = OutcomeCode | 'success'

/** One fault of a response. */
export interface WireFault {
  readonly title: string
  readonly wire: Wire
  readonly code: Expected | Readonly<Record<RawRequest['endpoint'], Expected>>
  /** No byte of a response: the request is retried. */
  readonly unanswered?: boolean
  /** A reset may or may not discard bytes already sent: success is accepted, too. */
  readonly orSuccess?: boolean
}

const OKAY = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const CHUNKED = `${OKAY}transfer-encoding: chunked\r\n\r\n`
const HTML = `<!doctype html><title>${RAW_MARKER}</title>`
// A client that receives data and a reset at once may not see the data.
const RESET_PAUSE = 15

const send =
  (bytes: string | Uint8Array): Wire =>
  (socket) =>
    socket.write(bytes)
const sendAll =
  (make: (body: string) => string | Uint8Array): Wire =>
  (socket, body) =>
    socket.write(make(body))
const end =
  (make: (body: string) => string): Wire =>
  (socket, body) =>
    socket.end(make(body))
const reset =
  (make: (body: string) => string): Wire =>
  (socket, body) => {
    socket.write(make(body) || '', () => setTimeout(() => socket.resetAndDestroy(), RESET_PAUSE))
  }

/** Writes the same bytes until the client leaves. */
export const repeat =
  (head: string, bytes: string): Wire =>
  (socket) => {
    socket.write(head)
    const more = (): void => {
      if (!socket.destroyed) socket.write(bytes, () => setImmediate(more))
    }
    more()
  }

const cut = (body: string): string => `${OKAY}content-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`

export const transportFaults: readonly WireFault[] = [
  {
    title: 'RST before the headers',
    wire: (socket) => socket.resetAndDestroy(),
    code: 'provider_unreachable',
    unanswered: true,
  },
  { title: 'RST within the headers', wire: reset(() => 'HTTP/1.1 200 OK\r\ncontent-ty'), code: 'provider_unreachable' },
  {
    title: 'RST after the headers',
    wire: reset(() => `${OKAY}content-length: 9\r\n\r\n`),
    code: 'provider_unreachable',
  },
  { title: 'FIN before the headers', wire: (socket) => socket.end(), code: 'provider_unreachable', unanswered: true },
  { title: 'FIN within the headers', wire: end(() => 'HTTP/1.1 200 OK\r\ncontent-ty'), code: 'provider_unreachable' },
  { title: 'FIN within the body', wire: end(cut), code: 'provider_unreachable' },
  { title: 'FIN within a chunk', wire: end(() => `${CHUNKED}ff\r\n{`), code: 'provider_unreachable' },
  { title: 'RST within the body', wire: reset(cut), code: 'provider_unreachable' },
  {
    title: 'RST after a whole answer',
    wire: reset((body) => String(answer(body))),
    code: 'provider_unreachable',
    orSuccess: true,
  },
]

const both = (authorize: Expected, profile: Expected) => ({ authorize, 'user/me': profile })
const bad = (title: string, wire: Wire): WireFault => ({ title, wire, code: 'provider_bad_response' })
const withLengths = (lines: string): Wire => sendAll((body) => `${OKAY}${lines}\r\n${body}`)

export const syntaxFaults: readonly WireFault[] = [
  bad('a promise of 1 GB', repeat(`${OKAY}content-length: 1073741824\r\n\r\n`, RAW_MARKER.repeat(200))),
  bad('chunks without end', repeat(CHUNKED, `400\r\n${'x'.repeat(1024)}\r\n`)),
  bad('103 without end', repeat('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
  {
    ...bad('64 KiB in chunks of one byte', send(`${CHUNKED}${'1\r\n \r\n'.repeat(65_530)}2\r\n{}\r\n0\r\n\r\n`)),
    code: both('auth_key_rejected', 'profile_invalid'),
  },
  bad('a header of 1 MB', send(`${OKAY}x-canary: ${'x'.repeat(1_000_000)}\r\n\r\n{}`)),
  bad('10,000 headers', send(`${OKAY}${Array.from({ length: 10_000 }, (_, n) => `x-${n}: 1\r\n`).join('')}\r\n{}`)),
  bad('garbage', send(Buffer.from(Array.from({ length: 600 }, (_, n) => (n * 37 + 130) % 256)))),
  bad('an SSH banner', send(`SSH-2.0-${RAW_MARKER}\r\n`)),
  bad(
    'HTTP/0.9',
    sendAll((body) => body),
  ),
  bad('a bad status line', send(`HTTP/1.1 two hundred\r\n\r\n${RAW_MARKER}`)),
  bad('a length that is no number', withLengths(`content-length: ${RAW_MARKER}\r\n`)),
  bad('a negative length', withLengths('content-length: -1\r\n')),
  bad('two lengths', withLengths('content-length: 5\r\ncontent-length: 6\r\n')),
  bad('a list of lengths', withLengths('content-length: 5, 6\r\n')),
  bad('a length and chunks', send(`${OKAY}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`)),
  bad('a bad chunk size', send(`${CHUNKED}${RAW_MARKER}\r\n`)),
  bad('a header with NUL', send(`${OKAY}x-a: \0\r\n\r\n{}`)),
  {
    ...bad('101', send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
    code: 'provider_unreachable',
  },
  bad('204', send('HTTP/1.1 204 No Content\r\n\r\n')),
  {
    ...bad(
      'junk after a complete response',
      sendAll((body) => `${answer(body)}JUNK ${RAW_MARKER}`),
    ),
    code: 'success',
  },
  bad(
    'gzip',
    sendAll((body) => answer(gzipSync(body), 'content-encoding: gzip\r\n')),
  ),
  bad('a deflate bomb', send(answer(deflateSync(Buffer.alloc(5_000_000)), 'content-encoding: deflate\r\n'))),
]

function status(line: string, code: WireFault['code'], headers = ''): WireFault[] {
  const bodies: [string, (body: string) => string][] = [
    ['JSON', (body) => body],
    ['HTML', () => HTML],
    ['nothing', () => ''],
  ]
  return bodies.map(([kind, make]) => ({
    title: `${line} ${headers.trim()} with ${kind}`,
    wire: sendAll((body) => answer(make(body), headers, line)),
    code: codeFor(line, kind) ?? code,
  }))
}

/** A refusal in JSON is one of the key, with any status. */
function codeFor(line: string, kind: string): WireFault['code'] | undefined {
  const isJSON404 = kind === 'JSON' && line.startsWith('404')
  return isJSON404 ? both('auth_key_rejected', 'provider_bad_response') : undefined
}

const steal = `location: http://127.0.0.1:1/${RAW_MARKER}\r\n`

export const statusFaults: readonly WireFault[] = [
  ...[300, 301, 302, 303, 307, 308].flatMap((code) => status(`${code} Moved`, 'provider_redirected', steal)),
  { title: '304', wire: send('HTTP/1.1 304 Not Modified\r\n\r\n'), code: 'provider_redirected' },
  ...status('400 Bad Request', both('auth_key_rejected', 'provider_bad_response')),
  ...[401, 403].flatMap((code) => status(`${code} No`, both('auth_key_rejected', 'profile_unauthorized'))),
  ...status('404 Not Found', 'provider_bad_response'),
  ...['', '17', '0', '-5', '99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT', 'soon'].flatMap((value) =>
    status('429 Slow Down', 'provider_rate_limited', value && `retry-after: ${value}\r\n`).slice(0, value ? 1 : 3),
  ),
  ...[500, 502, 503, 599].flatMap((code) => status(`${code} Down`, 'provider_unavailable')),
]

function content(
  title: string,
  text: string | Uint8Array,
  code: WireFault['code'] = 'provider_bad_response',
): WireFault {
  return { title: `a body that is ${title}`, wire: send(answer(text)), code }
}

const named = (value: string): string => `{"access_token":${value},"user_id":${value}}`
const nobody = both('provider_bad_response', 'profile_invalid')
const whole = '{"access_token":"t","user_id":"1"}'

export const contentFaults: readonly WireFault[] = [
  content('empty', ''),
  content('null', 'null', nobody),
  content('[]', '[]', nobody),
  content('""', '""', nobody),
  content('a number', '7', nobody),
  content('{}', '{}', both('auth_key_rejected', 'profile_invalid')),
  content('marked with a BOM', `\ufeff${whole}`, 'success'),
  content('UTF-16', Buffer.from(whole, 'utf16le')),
  content('invalid UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')])),
  content('JSON behind a PHP warning', `<br />\nWarning: ${RAW_MARKER} on line 3\n${whole}`),
  content('two documents', `${whole}${whole}`),
  content('NaN', named('NaN')),
  content('JSON with comments', `/* ${RAW_MARKER} */ ${whole}`),
  content('nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)),
  content('nested 30,000 deep', '['.repeat(30_000) + ']'.repeat(30_000)),
  content('1,000,000 keys', `{${Array.from({ length: 1_000_000 }, (_, n) => `"${n}":1`).join()}}`),
  content('one name twice', '{"access_token":"a","access_token":"b","user_id":1,"user_id":2}'),
  content(
    '{"error":true}',
    `{"error":true,"message":"${RAW_MARKER}"}`,
    both('auth_key_rejected', 'profile_unauthorized'),
  ),
  ...['""', 'null'].map((value) => content(named(value), named(value), both('auth_key_rejected', 'profile_invalid'))),
  ...['false', '["a"]', '{"a":"b"}', '"a\\u0000b"', '"a\\r\\nx: y"'].map((value) =>
    content(named(value), named(value), nobody),
  ),
  ...['0', '-1', '1.5'].map((value) => content(named(value), named(value), both('success', 'profile_invalid'))),
  content('a token that is a number', named('12345'), 'success'),
  content('a token of 1 MB', named(`"${'x'.repeat(1_000_000)}"`)),
  content('a token of 5,000 characters', named(`"${'x'.repeat(5000)}"`), nobody),
]
