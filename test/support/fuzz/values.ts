import type { Random } from './random'

/**
 * Placeholders for values known only when the request is sent: cookies of real sessions, a fresh `auth_key`, the port.
 */
export const PLACEHOLDERS = ['{{pending}}', '{{unconfirmed}}', '{{signedIn}}', '{{key}}', '{{port}}'] as const

/** Different ideographs, the most expensive host name for the URL parser. */
export function ideographs(count: number): string {
  return encodeURIComponent(
    Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join(''),
  )
}

const LONG_HOST = ideographs(1500)

/** Values that break careless code, one byte per character. */
export function nastyValue(random: Random): string {
  return random.choose(
    () => '',
    () => 'x'.repeat(random.chance(0.1) ? random.below(6000) : random.below(60)),
    () => random.pick(['null', 'undefined', 'NaN', 'true', '0', '-1', '1e999', '{}', '[]', '[object Object]']),
    () => random.pick(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype[a]']),
    () =>
      random.pick(['%', '%zz', '%00', '%ff', '%c0%af', '%0d%0aSet-Cookie:a=b', '%u0041', '%F0%9F%98%80', '%ED%A0%80']),
    () =>
      random.pick(["' or 1=1 --", '<script>', '{{7*7}}', '../../etc/passwd', '\\\\evil\\', '//evil.example', 'a\tb']),
    () => bytes(random, random.below(40)),
    () => random.pick(['é', '\xff\xfe', '\x80', '\xed\xa0\x80', '\xe4\xb8\x80']),
  )
}

/** Bytes that a header may contain: no control characters except tab. */
export function bytes(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(32 + random.below(224)))
    .join('')
    .replaceAll('\x7f', '\t')
}

export function nastyHost(random: Random): string {
  return random.pick([
    'localhost',
    '127.0.0.1',
    '[::1]',
    '[::1',
    'evil.example',
    'localhost:99999',
    'localhost:{{port}}:1',
    'a@localhost',
    'localhost/path?auth_key=x',
    'localhost#',
    '%6cocalhost',
    '%00',
    '\xe4\xb8\x80.example',
    LONG_HOST,
    `${LONG_HOST}:{{port}}`,
    'x'.repeat(4000),
    `${'a.'.repeat(2000)}example`,
    '',
    ' ',
    'undefined',
    '999.999.999.999',
    '0x7f.1',
    'xn--a',
    'xn--zzzzzzzzzzzzzz',
  ])
}

export function address(random: Random): string {
  const byte = (): number => random.below(256)
  return random.choose(
    () => `10.${byte()}.${byte()}.${byte()}`,
    () => `2001:db8:${byte().toString(16)}::${byte().toString(16)}`,
    () => random.pick(['unknown', '1.2.3.4:5678', '[2001:db8::1]:80', '::ffff:1.2.3.4', '::', '_hidden', '0x7f000001']),
    () =>
      random.pick(['1.2.3', '1.2.3.4.5', '999.1.1.1', 'localhost', '::1%eth0', '1.2.3.4/8', '"1.2.3.4"', ',', '127.1']),
    () => nastyValue(random),
  )
}
