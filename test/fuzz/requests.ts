import fc from 'fast-check'
import { OWN_PATHS } from '../../example-app/config'
import { headerLines } from './headers'
import { nasty, nastyHost, oneOf, rarely, repeated, type Text, text } from './values'

/** The requests of one connection, each as bytes (one per character), with placeholders. */
export interface Part {
  readonly requests: readonly string[]
  /** Whether the client closes the connection as soon as it has sent them, or their first part. */
  readonly isAborted: boolean
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

/** The last lines of a header, with the empty one, and the body. What is wrong with these is for Node to refuse. */
const noBody = fc.constant('\r\n')
const withBody = text`${typeLines}${body.map((whole) => `Content-Length: ${whole.length}\r\n\r\n${whole}`)}`

const head = (method: Text): Text =>
  text`${method} ${visibleTarget} HTTP/1.1\r\n${headerLines.map((all) => all.map((line) => `${line}\r\n`).join(''))}`

const otherMethod = fc.constantFrom(
  ...['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE'],
)
const get = text`${head(fc.constant('GET'))}${rarely(5, withBody, noBody)}`
const other = text`${head(rarely(25, otherMethod, fc.constant('POST')))}${rarely(20, noBody, withBody)}`

export const part: fc.Arbitrary<Part> = fc.record(
  {
    requests: fc.array(rarely(40, other, get), { minLength: 1, maxLength: 12 }),
    isAborted: rarely(3, fc.constant(true), fc.constant(false)),
    cut: rarely<number | undefined>(10, fc.double({ min: 0, max: 1, noNaN: true }), fc.constant(undefined)),
  },
  { noNullPrototype: true },
)
