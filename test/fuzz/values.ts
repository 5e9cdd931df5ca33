import fc from 'fast-check'

// Values that break careless code, one character per byte. What a choice shrinks to comes first. The placeholders {{pending}},
// {{unconfirmed}}, {{signedIn}} (cookies of real sessions), {{key}} and {{port}} are filled in when a request is sent.

export type Text = fc.Arbitrary<string>

/** One of these; a failure shrinks towards the first. */
export const oneOf = (...choices: Text[]): Text => fc.oneof({ withCrossShrink: true }, ...choices)

/** `usual`, and in so many of a hundred cases `rare`. */
export function rarely<T>(percent: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const choices = [
    { weight: 100 - percent, arbitrary: usual },
    { weight: percent, arbitrary: rare },
  ]
  return fc.oneof({ withCrossShrink: true }, ...choices)
}

/** A template of random parts: text`${name}=${value}`. */
export function text(strings: TemplateStringsArray, ...parts: Text[]): Text {
  return fc.tuple(...parts).map((values) => String.raw({ raw: strings }, ...values))
}

export const repeated = (piece: string, most: number): Text => fc.nat(most).map((count) => piece.repeat(count))

/** Bytes that a header may contain: no control characters except tab. */
const headerByte = fc.integer({ min: 32, max: 255 }).map((code) => (code === 127 ? '\t' : String.fromCharCode(code)))
export const bytes = (maxLength: number): Text => fc.string({ unit: headerByte, maxLength })

export const nasty = oneOf(
  fc.constant(''),
  rarely(10, repeated('x', 6000), repeated('x', 60)),
  fc.constantFrom('null', 'undefined', 'NaN', 'true', '0', '-1', '1e999', '{}', '[]', '[object Object]'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype[a]'),
  fc.constantFrom('%', '%zz', '%00', '%ff', '%c0%af', '%0d%0aSet-Cookie:a=b', '%u0041', '%F0%9F%98%80', '%ED%A0%80'),
  fc.constantFrom("' or 1=1 --", '<script>', '{{7*7}}', '../../etc/passwd', '\\\\evil\\', '//evil.example', 'a\tb'),
  bytes(40),
  fc.constantFrom('é', '\xff\xfe', '\x80', '\xed\xa0\x80', '\xe4\xb8\x80'),
)

// Different ideographs: the most expensive host name for the URL parser.
const ideographs = Array.from({ length: 1500 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)))
const LONG_HOST = encodeURIComponent(ideographs.join(''))

export const nastyHost = fc.constantFrom(
  ...['localhost', '127.0.0.1', '[::1]', '[::1', 'evil.example', 'localhost:99999', 'localhost:{{port}}:1'],
  ...['a@localhost', 'localhost/path?auth_key=x', 'localhost#', '%6cocalhost', '%00', '\xe4\xb8\x80.example'],
  ...[LONG_HOST, `${LONG_HOST}:{{port}}`, 'x'.repeat(4000), `${'a.'.repeat(2000)}example`, '', ' ', 'undefined'],
  ...['999.999.999.999', '0x7f.1', 'xn--a', 'xn--zzzzzzzzzzzzzz'],
)

const byte = fc.nat(255).map(String)
const hex = fc.nat(255).map((value) => value.toString(16))
export const ordinaryAddress = text`10.${byte}.${byte}.${byte}`
export const address = oneOf(
  ordinaryAddress,
  text`2001:db8:${hex}::${hex}`,
  fc.constantFrom('unknown', '1.2.3.4:5678', '[2001:db8::1]:80', '::ffff:1.2.3.4', '::', '_hidden', '0x7f000001'),
  fc.constantFrom('1.2.3', '1.2.3.4.5', '999.1.1.1', 'localhost', '::1%eth0', '1.2.3.4/8', '"1.2.3.4"', ',', '127.1'),
  nasty,
)
