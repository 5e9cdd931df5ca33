import fc from 'fast-check'
import { OWN_PATHS } from '../../example-app/config'
import type { Ending } from './connection'
import { brokenLine, headerLines } from './headers'
import { nasty, nastyHost, oneOf, rarely, repeated, type Text, text } from './values'

/** A request as bytes (one per character), with placeholders. */
export interface RawRequest {
  readonly text: string
  /** Whether its framing is valid, so that the server must answer or close. */
  readonly isFramed: boolean
}

/** The requests of one connection. */
export interface Part {
  readonly requests: readonly RawRequest[]
  readonly ending: Ending
  /** Where the bytes are split into two packets, as a fraction. */
  readonly cut: number | undefined
}

const route = fc.constantFrom('/', ...OWN_PATHS, '/auth/social-login/callback', '/nowhere', '/__proto__')
const path = rarely(
  25,
  oneOf(
    route.map((plain) => plain.toUpperCase()),
    text`${route}/`,
    route.map((plain) => plain.replaceAll('/', '//')),
    text`/./x/..${route}`,
    text`${route}%2f..%2f`,
    route.map((plain) => plain.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)),
    text`${route};${nasty}`,
    text`${route}/${nasty}`,
    route.map((plain) => plain.replaceAll('/', '\\')),
    text`${route}%00`,
  ),
  route,
)

const parameter = rarely(
  60,
  fc.constantFrom('auth_key', 'returnTo', 'reason', 'notice', 'wait', 'error', 'state', 'tab', 'login', 'decision'),
  fc.constant('auth_key'),
)
const value = rarely(30, fc.constant('{{key}}'), nasty)
const encodedValue = value.map((plain) => (plain === '{{key}}' ? plain : encodeURIComponent(plain)))
const pair = oneOf(
  text`${parameter}=${value}`,
  text`${parameter}=${value}`,
  text`${parameter}=${encodedValue}`,
  fc.tuple(parameter, value).map(([name, given]) => `${name}=${given}&${name}=${given}`),
  text`${parameter}[]=${value}`,
  text`${parameter}[a][b]=${value}`,
  text`${parameter}.a=${value}`,
  fc.tuple(parameter, value).map(([name, given]) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${given}`),
  fc.tuple(parameter, value).map(([name, given]) => `${name.toUpperCase()}=${given}`),
  parameter,
  text`=${value}`,
  text`${parameter}+=+${value}`,
  text`${parameter}%00=${value}`,
)
const pairs = fc
  .tuple(fc.array(pair, { minLength: 1, maxLength: 4 }), fc.constantFrom('&', '&', '&', ';', '&&'))
  .map(([all, separator]) => `?${all.join(separator)}`)
const query = rarely(65, rarely(8, text`?${repeated('a=b&', 2000)}`, pairs), fc.constant(''))

const plainTarget = text`${path}${query}`
/** The path and query of a request, or something that a server might parse as such. */
const target = rarely(
  5,
  oneOf(
    text`http://localhost:{{port}}${plainTarget}`,
    text`http://${nastyHost}${plainTarget}`,
    text`https://user:password@${nastyHost}${plainTarget}`,
    text`//${nastyHost}${plainTarget}`,
    fc.constantFrom('*', '?', '#', '/?', '/#auth_key=x', 'login'),
    fc.constantFrom('localhost:80', 'javascript:alert(1)', 'http:', 'http://'),
    nasty,
  ),
  plainTarget,
)
// Node itself refuses most characters beyond visible ASCII and closes, which would waste the rest of the connection.
const visibleTarget = target.map((plain) => plain.replace(/[^\x21-\x7e]/g, percentEncoded) || '/')

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

const body = oneOf(
  fc.constantFrom('decision=continue', 'decision=cancel', 'returnTo=/profile', 'login=1', 'login=', 'decision'),
  text`returnTo=${nasty}&login=${nasty}`,
  fc.constant('decision[]=continue&returnTo[a]=b&__proto__[x]=y&constructor=1'),
  fc.constant('{"decision":"continue","returnTo":{"a":[]}}'),
  fc.constant('--x\r\nContent-Disposition: form-data; name="login"\r\n\r\n1\r\n--x--\r\n'),
  repeated('a=b&', 2000),
  repeated('x', 20_000),
  fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 200 }),
)
const chunked = fc
  .tuple(body, fc.nat(20_000), fc.constantFrom('', 'X-Trailer: a\r\n'))
  .map(([whole, where, trailer]) => {
    const chunk = (part: string): string => (part === '' ? '' : `${part.length.toString(16)};x="y"\r\n${part}\r\n`)
    const middle = where % (whole.length + 1)
    return `${chunk(whole.slice(0, middle))}${chunk(whole.slice(middle))}0\r\n${trailer}\r\n`
  })

const contentType = rarely(
  30,
  fc.constantFrom(
    ...['application/x-www-form-urlencoded; charset=utf-7', 'application/x-www-form-urlencoded; charset='],
    ...['application/json', 'multipart/form-data; boundary=x', 'multipart/form-data', 'text/plain', '/'],
  ),
  fc.constant('application/x-www-form-urlencoded'),
)
const coding = fc.constantFrom('gzip', 'deflate', 'br', 'x', 'identity')
const typeLines = text`Content-Type: ${contentType}\r\n${rarely(10, text`Content-Encoding: ${coding}\r\n`, fc.constant(''))}`

/** The last lines of a header, with the empty one, and the body. */
const noBody = fc.constant('\r\n')
const withLength = body.map((whole) => `Content-Length: ${whole.length}\r\n\r\n${whole}`)
const withBody = text`${typeLines}${rarely(20, text`Transfer-Encoding: chunked\r\n\r\n${chunked}`, withLength)}`
const withBrokenBody = oneOf(
  body.map((whole) => `Content-Length: ${whole.length + 10}\r\n\r\n${whole}`),
  body.map((whole) => `Content-Length: ${Math.max(0, whole.length - 5)}\r\n\r\n${whole}`),
  text`Content-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`,
  text`Content-Length: ${fc.constantFrom('-1', 'x', '1e3', '+5', '0x5', '99999999999999999999', ' ', '')}\r\n\r\n${body}`,
  body.map((whole) => `Content-Length: ${whole.length}\r\nTransfer-Encoding: chunked\r\n\r\n${whole}`),
  text`Transfer-Encoding: chunked\r\n\r\n${body}`,
  text`Transfer-Encoding: ${fc.constantFrom('identity', 'gzip', 'chunked, gzip', 'x', ' chunked')}\r\n\r\n${body}`,
  text`Transfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n${body}`,
  chunked.map((whole) => `Transfer-Encoding: chunked\r\n\r\n${whole.slice(0, -3)}`),
)

const head = (method: Text, from: Text, version: Text, lines: fc.Arbitrary<string[]>): Text =>
  text`${method} ${from} ${version}\r\n${lines.map((all) => all.map((line) => `${line}\r\n`).join(''))}`

const otherMethod = fc.constantFrom(
  ...['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE'],
)
const usual = fc.constant('HTTP/1.1')
const get = text`${head(fc.constant('GET'), visibleTarget, usual, headerLines)}${rarely(5, withBody, noBody)}`
const otherWithBody = text`${head(rarely(25, otherMethod, fc.constant('POST')), visibleTarget, usual, headerLines)}${rarely(20, noBody, withBody)}`

const brokenMethod = fc.constantFrom('CONNECT', 'get', 'GETT', '', 'G\0T', 'PRI', 'X'.repeat(300), '\x16\x03\x01')
const brokenVersion = fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'X', '')
const brokenLines = fc
  .tuple(headerLines, brokenLine, fc.nat(9))
  .map(([lines, line, where]) => lines.toSpliced(where % (lines.length + 1), 0, line))
const anyMethod = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'POST', 'HEAD')
const broken = text`${head(rarely(30, brokenMethod, anyMethod), target, rarely(20, brokenVersion, usual), rarely(50, brokenLines, headerLines))}${rarely(50, withBrokenBody, noBody)}`

const request = fc.oneof(
  { withCrossShrink: true },
  { weight: 56, arbitrary: get.map((all) => ({ text: all, isFramed: true })) },
  { weight: 38, arbitrary: otherWithBody.map((all) => ({ text: all, isFramed: true })) },
  { weight: 6, arbitrary: broken.map((all) => ({ text: all, isFramed: false })) },
)

/** Up to a dozen requests: what follows one without valid framing would be read as a part of it. */
const requests = fc.array(request, { minLength: 1, maxLength: 12 }).map((all) => {
  const end = all.findIndex(({ isFramed }) => !isFramed)
  return end < 0 ? all : all.slice(0, end + 1)
})

export const part: fc.Arbitrary<Part> = fc.record(
  {
    requests,
    ending: rarely<Ending>(5, fc.constantFrom<Ending[]>('half-close', 'early-close'), fc.constant('answered')),
    cut: rarely<number | undefined>(10, fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(undefined)),
  },
  { noNullPrototype: true },
)
