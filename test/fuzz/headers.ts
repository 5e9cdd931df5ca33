import fc from 'fast-check'
import { address, bytes, nasty, nastyHost, oneOf, ordinaryAddress, rarely, repeated, type Text, text } from './values'

/** Lines of a header without their line breaks. */
type Lines = fc.Arbitrary<string[]>

const none: Lines = fc.constant([])
const maybe = (percent: number, line: Text): Lines =>
  rarely(
    percent,
    line.map((only) => [only]),
    none,
  )

/** The Fetch Metadata of a browser. Without it most routes only refuse. */
const metadata = (site: Text, mode: Text, dest: Text): Lines =>
  fc.tuple(text`Sec-Fetch-Site: ${site}`, text`Sec-Fetch-Mode: ${mode}`, text`Sec-Fetch-Dest: ${dest}`)
const navigation = (site: string): Lines =>
  metadata(fc.constant(site), fc.constant('navigate'), fc.constant('document'))
const oddMetadata = metadata(
  oneOf(fc.constantFrom('same-site', 'none', 'CROSS-SITE', 'x,y', ''), nasty),
  oneOf(fc.constantFrom('cors', 'no-cors', 'websocket', 'nested-navigate'), nasty),
  fc.constantFrom('iframe', 'image', '', 'x'),
)
const fetchMetadata: Lines = fc.oneof(
  { withCrossShrink: true },
  { weight: 30, arbitrary: none },
  { weight: 35, arbitrary: navigation('same-origin') },
  { weight: 21, arbitrary: navigation('cross-site') },
  { weight: 14, arbitrary: oddMetadata },
)

const cookieName = fc.constantFrom(
  ...['example-session', 'example-known-logins', '__Host-example-session', '__Host-example-known-logins'],
  ...['passport-social-login', '__Host-passport-social-login', 'connect.sid'],
)
const signature = fc.constantFrom(0, 1, 42, 43, 44, 86).map((length) => 'A'.repeat(length))
const encoded = (value: Text): Text => value.map(encodeURIComponent)
const cookieValue = oneOf(
  nasty,
  text`s:${nasty}.${signature}`,
  text`s%3A${encoded(nasty)}.${signature}`,
  fc.constantFrom('j:{}', 'j:[]', 'j:null', 'j:1', 'j:{"toString":1}', 'j:{"length":5}', 'j:["a"]', 'j:"x"', 'j:{bad'),
  text`j%3A${encoded(fc.constantFrom('{"a":{}}', '[1]', '{"__proto__":{}}', '{"slice":"x"}'))}`,
  text`s:j:{"a":1}.${signature}`,
  text`"${nasty}"`,
  fc.constant('s:'),
  repeated('.', 3000),
)
const cookie = text`${rarely(40, cookieName, fc.constant('example-session'))}${fc.constantFrom('=', '=', '=', '', '[]=', ' = ')}${cookieValue}`
const oddCookies = text`Cookie: ${fc
  .tuple(fc.array(cookie, { minLength: 1, maxLength: 4 }), fc.constantFrom('; ', ';', ',', '; ; '))
  .map(([cookies, separator]) => cookies.join(separator))}`
const cookieLines: Lines = fc.oneof(
  { withCrossShrink: true },
  { weight: 25, arbitrary: none },
  {
    weight: 37,
    arbitrary: fc.tuple(text`Cookie: ${fc.constantFrom('{{pending}}', '{{unconfirmed}}', '{{signedIn}}')}`),
  },
  { weight: 34, arbitrary: fc.tuple(oddCookies) },
  { weight: 4, arbitrary: fc.tuple(oddCookies, text`Cookie: ${cookie}`) },
)

const addresses = fc
  .tuple(fc.array(address, { minLength: 1, maxLength: 3 }), fc.constantFrom(', ', ',', ' '))
  .map(([all, separator]) => all.join(separator))
const origin = oneOf(
  fc.constantFrom('http://localhost:{{port}}', 'http://localhost:{{port}}/login'),
  text`http://${nastyHost}`,
  fc.constantFrom('null', 'http://', 'https://[::1', 'file:///', 'data:,x', 'about:srcdoc', 'blob:null'),
  nasty,
)
const anything = oneOf(nasty, bytes(60))
const known = (...values: [string, ...string[]]): Text => rarely(30, anything, fc.constantFrom(...values))

/** Headers that servers and proxies act on, with their values. */
const LINES: Readonly<Record<string, Text>> = {
  Accept: oneOf(
    known('application/json', 'text/html', '*/*', 'text/html;q=2', 'application/json;q=0'),
    fc.constantFrom(';;;', '/', 'a/b, '.repeat(500)),
  ),
  Origin: origin,
  Referer: origin,
  'X-Forwarded-Host': nastyHost,
  'X-Forwarded-Proto': known('https', 'http', 'https,http', 'HTTPS', 'javascript', ''),
  Forwarded: known('for=1.2.3.4;proto=https;host=evil', 'for="[2001:db8::1]:80"', ';;', 'for=unknown'),
  'X-Real-IP': addresses,
  'X-Request-Id': known('a', 'x'.repeat(64), 'x'.repeat(65), '../..', 'é'),
  'If-None-Match': known('*', 'W/"x"', '"', ','.repeat(1000)),
  Range: known('bytes=0-1', 'bytes=-', 'bytes=0-,0-,0-', 'x'),
  'Sec-Purpose': known('prefetch', 'prefetch;prerender', 'x'),
  Purpose: known('prefetch', 'preview'),
  Upgrade: known('websocket', 'h2c', 'TLS/1.0'),
  Connection: known('keep-alive', 'upgrade', 'keep-alive, Host', 'x'),
  Expect: known('100-continue', '100-Continue', 'x', '200-ok'),
}
const OTHERS = ['Accept-Language', 'Accept-Encoding', 'X-Forwarded-Port', 'X-Original-URL', 'X-Http-Method-Override']
const plainName = fc.constantFrom(...OTHERS, 'If-Modified-Since', 'User-Agent', 'Authorization', '__proto__')
const otherLine = rarely(
  30,
  text`X-Forwarded-For: ${addresses}`,
  oneOf(
    ...Object.entries(LINES).map(([name, value]) => text`${fc.constant(name)}: ${value}`),
    text`${plainName}: ${anything}`,
  ),
)

const host = rarely(15, text`Host: ${nastyHost}`, fc.constant('Host: localhost:{{port}}'))
// Otherwise an address reaches its ten rejected keys at once, and no further callback is processed.
const clientAddress = maybe(70, text`X-Forwarded-For: ${rarely(10, address, ordinaryAddress)}`)

/** The lines of a header, sometimes with one of them twice. */
export const headerLines: Lines = fc
  .tuple(
    fc.tuple(host),
    fetchMetadata,
    cookieLines,
    fc.array(otherLine, { maxLength: 3 }),
    clientAddress,
    rarely(5, fc.nat(9), fc.constant(-1)),
  )
  .map(([first, mode, cookies, others, from, twice]) => {
    const lines = [...first, ...mode, ...cookies, ...others, ...from]
    return [...lines, ...lines.slice(twice, twice + 1)]
  })
