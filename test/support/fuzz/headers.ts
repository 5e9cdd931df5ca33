import type { Random } from './random'
import { address, bytes, nastyHost, nastyValue } from './values'

/** A header line without its line break; may be empty. */
type Line = string

/** The `Host` that a browser sends, or another. */
export function hostLine(random: Random): Line {
  return random.chance(0.85) ? 'Host: localhost:{{port}}' : `Host: ${nastyHost(random)}`
}

/** The Fetch Metadata of a browser. Without it most routes only refuse. */
export function fetchMetadata(random: Random): Line[] {
  if (random.chance(0.3)) return []
  if (random.chance(0.5)) return ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
  if (random.chance(0.6)) return ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']
  const site = random.choose(
    () => random.pick(['same-site', 'none', 'CROSS-SITE', 'x,y', '']),
    () => nastyValue(random),
  )
  const mode = random.choose(
    () => random.pick(['cors', 'no-cors', 'websocket', 'nested-navigate']),
    () => nastyValue(random),
  )
  return [
    `Sec-Fetch-Site: ${site}`,
    `Sec-Fetch-Mode: ${mode}`,
    `Sec-Fetch-Dest: ${random.pick(['iframe', 'image', '', 'x'])}`,
  ]
}

export function cookieLines(random: Random): Line[] {
  if (random.chance(0.25)) return []
  if (random.chance(0.5)) return [`Cookie: ${random.pick(['{{pending}}', '{{unconfirmed}}', '{{signedIn}}'])}`]
  const parts = Array.from({ length: 1 + random.below(4) }, () => cookie(random))
  const line = `Cookie: ${parts.join(random.pick(['; ', ';', ',', '; ; ']))}`
  return random.chance(0.1) ? [line, `Cookie: ${cookie(random)}`] : [line]
}

const COOKIES = [
  'example-session',
  'example-known-logins',
  '__Host-example-session',
  '__Host-example-known-logins',
  'passport-social-login',
  '__Host-passport-social-login',
  'connect.sid',
] as const

function cookie(random: Random): string {
  const name = random.chance(0.6) ? 'example-session' : random.pick(COOKIES)
  return `${name}${random.pick(['=', '=', '=', '', '[]=', ' = '])}${cookieValue(random)}`
}

function cookieValue(random: Random): string {
  const signature = 'A'.repeat(random.pick([0, 1, 42, 43, 44, 86]))
  return random.choose(
    () => `s:${nastyValue(random)}.${signature}`,
    () => `s%3A${encodeURIComponent(nastyValue(random))}.${signature}`,
    () =>
      random.pick([
        'j:{}',
        'j:[]',
        'j:null',
        'j:1',
        'j:{"toString":1}',
        'j:{"length":5}',
        'j:["a"]',
        'j:"x"',
        'j:{bad',
      ]),
    () => `j%3A${encodeURIComponent(random.pick(['{"a":{}}', '[1]', '{"__proto__":{}}', '{"slice":"x"}']))}`,
    () => `s:j:{"a":1}.${signature}`,
    () => `"${nastyValue(random)}"`,
    () => nastyValue(random),
    () => 's:',
    () => '.'.repeat(random.below(3000)),
  )
}

const REQUEST_HEADERS = [
  'Accept',
  'Accept-Language',
  'Accept-Encoding',
  'Origin',
  'Referer',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Forwarded-Port',
  'Forwarded',
  'X-Real-IP',
  'X-Request-Id',
  'X-Original-URL',
  'X-Http-Method-Override',
  'If-None-Match',
  'If-Modified-Since',
  'Range',
  'User-Agent',
  'Authorization',
  'Sec-Purpose',
  'Purpose',
  'Upgrade',
  'Connection',
  'Expect',
  '__proto__',
] as const

const KNOWN_VALUES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  Accept: [
    'application/json',
    'text/html',
    '*/*',
    'text/html;q=2',
    ';;;',
    'application/json;q=0',
    'a/b, '.repeat(500),
    '/',
  ],
  'X-Forwarded-Proto': ['https', 'http', 'https,http', 'HTTPS', 'javascript', ''],
  Forwarded: ['for=1.2.3.4;proto=https;host=evil', 'for="[2001:db8::1]:80"', ';;', 'for=unknown'],
  'X-Request-Id': ['a', 'x'.repeat(64), 'x'.repeat(65), '../..', 'é'],
  'If-None-Match': ['*', 'W/"x"', '"', ','.repeat(1000)],
  Range: ['bytes=0-1', 'bytes=-', 'bytes=0-,0-,0-', 'x'],
  'Sec-Purpose': ['prefetch', 'prefetch;prerender', 'x'],
  Purpose: ['prefetch', 'preview'],
  Upgrade: ['websocket', 'h2c', 'TLS/1.0'],
  Connection: ['keep-alive', 'upgrade', 'keep-alive, Host', 'x'],
  Expect: ['100-continue', '100-Continue', 'x', '200-ok'],
}

/** Further headers that servers and proxies act on. */
export function otherLines(random: Random): Line[] {
  return Array.from({ length: random.below(4) }, () => {
    const name = random.chance(0.3) ? 'X-Forwarded-For' : random.pick(REQUEST_HEADERS)
    return `${name}: ${valueFor(name, random)}`
  })
}

function valueFor(name: string, random: Random): string {
  const known = Object.hasOwn(KNOWN_VALUES, name) ? KNOWN_VALUES[name] : undefined
  if (known !== undefined && random.chance(0.7)) return random.pick(known)
  if (name === 'X-Forwarded-For' || name === 'X-Real-IP') {
    return Array.from({ length: 1 + random.below(3) }, () => address(random)).join(random.pick([', ', ',', ' ']))
  }
  if (name === 'Origin' || name === 'Referer') return origin(random)
  if (name === 'X-Forwarded-Host') return nastyHost(random)
  return random.chance(0.5) ? nastyValue(random) : bytes(random, random.below(60))
}

function origin(random: Random): string {
  return random.choose(
    () => 'http://localhost:{{port}}',
    () => 'http://localhost:{{port}}/login',
    () => `http://${nastyHost(random)}`,
    () => random.pick(['null', 'http://', 'https://[::1', 'file:///', 'data:,x', 'about:srcdoc', 'blob:null']),
    () => nastyValue(random),
  )
}

/** A line that no server should accept as a header. */
export function brokenLine(random: Random): Line {
  return random.choose(
    () => ` folded: ${nastyValue(random)}`,
    () => '\tfolded',
    () => 'no colon',
    () => ': no name',
    () => 'Bad Name: x',
    () => `X-Null: a\0b`,
    () => 'X-Control: a\x01b',
    () => 'X-Return: a\rb',
    () => `X-Long: ${'y'.repeat(17_000)}`,
    () => `${'n'.repeat(5000)}: x`,
    () => Array.from({ length: 2100 }, (_, at) => `X-${at}: ${at}`).join('\r\n'),
    () => 'Host: other.example',
  )
}
