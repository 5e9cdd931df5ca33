import { parseReturnPath } from '../../../lib/login/return-path'

// Hostile return paths: each is refused, or becomes a path within the origin.
const origins = [
  'evil.example',
  'evil.example/',
  'evil.example/%2f..',
  'user@evil.example',
  'evil.example:80',
  '[::1]',
  '1.1.1.1',
  'localhost',
]
const slashes = [
  '//',
  '///',
  '////',
  '/\\',
  '\\/',
  '\\\\',
  '\\',
  '/\\/',
  '//\\',
  '/\\\\',
  '\\\\/',
  '/\t/',
  '/\n/',
  '/\r/',
]
const dots = [
  '/.//',
  '/..//',
  '/././/',
  '/a/..//',
  '/a/b/../..//',
  '/%2e//',
  '/%2E%2e//',
  '/.%2e//',
  '/a/%2e%2e//',
  '/./',
]
const spaces = [
  ' //',
  '\t//',
  '\n//',
  '\u0000//',
  '\u00a0//',
  '\u2028//',
  '/ /',
  '/\u200b/',
  '/\ufeff/',
  '\ufeff//',
  '/\u0001/',
]
const encoded = ['/%2f', '/%2F', '/%5c', '/%5C', '/%252f', '/%09/', '/%0a/', '/%0d/', '/%00/', '/%e3%80%82/', '/%20/']
const unicode = ['/／', '／／', '⁄⁄', '∕∕', '/＼', '。//', '/\u2215/', '/\u29f8/', '/﹨', '/\u0338/']
const schemes = [
  'http://',
  'https://',
  'HTTPS://',
  'https:/',
  'https:',
  'http:/\\',
  'https:\\\\',
  'ftp://',
  'ws://',
  '://',
  ':/',
]
const joined = [...slashes, ...dots, ...spaces, ...encoded, ...unicode, ...schemes].map(
  (prefix) => `${prefix}evil.example`,
)
const others = [
  ...['javascript:alert(1)', 'JavaScript:alert(1)', 'java\nscript:alert(1)', '\u0001javascript:alert(1)', 'vbscript:x'],
  ...['data:text/html,x', 'blob:https://evil.example/x', 'file:///etc/passwd', 'mailto:a@evil.example', 'about:blank'],
  ...['', ' ', '.', '..', 'a', 'inbox', './inbox', '../inbox', '?a', '#a', '@evil.example', ':80', '.evil.example'],
  ...['/\u007f', '/\u0080', '/\u009f', '/a\u0000', '/a\r\nSet-Cookie: a=b', '/a\nLocation: //evil.example', '/\u001b'],
  ...[
    '/a\\b',
    '/a?b=\\',
    '/a#\\',
    `/${'a'.repeat(1024)}`,
    `//${'a'.repeat(1024)}`,
    '/..\\evil.example',
    '/.\\/evil.example',
  ],
  ...[
    '/https://evil.example',
    '/https:evil.example',
    '/@evil.example',
    '/:80',
    '/a/../..',
    '/a//evil.example',
    '/?//x',
  ],
  ...['/a?next=//evil.example', '/a#//evil.example', '/%', '/%zz', '/\ud800', '/;//evil.example', '/*//evil.example'],
  ...['/.evil.example', '/..evil.example', '/..;//evil.example', '/%2e%2e%2fevil.example', '/a/.//evil.example'],
]
const curated = [
  ...origins.flatMap((host) => [`//${host}`, `/.//${host}`, `/\\${host}`, `https://${host}`]),
  ...joined,
  ...others,
]

test('at least 150 open redirects are curated', () => {
  expect(new Set(curated).size).toBeGreaterThanOrEqual(150)
})

test.each(curated)('the return path %j never leads to another origin', (value) => {
  const path = parseReturnPath(value)
  if (path === undefined) return
  expect(path).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
  expect(path).not.toContain('\\')
  for (const origin of ['https://app.example', 'http://localhost:3000', 'https://evil.example.app.example']) {
    expect(new URL(path, `${origin}/auth/social-login/callback?auth_key=x`).origin).toBe(origin)
  }
  // Normalising is idempotent: the path is read again at the callback.
  expect(parseReturnPath(path)).toBe(path)
})

test.each([
  ...slashes.map((prefix) => `${prefix}evil.example`),
  ...dots.slice(0, -1).map((prefix) => `${prefix}evil.example`),
  ...schemes.map((prefix) => `${prefix}evil.example`),
  ...['javascript:alert(1)', '', 'inbox', './inbox', '/a\r\nb', '/a\u0000', '/a\\b', `/${'a'.repeat(1024)}`],
  // Invalid URLs; and a path that is too long before it is normalised.
  ...['//[', '//evil.example:99999', `/${'a/../'.repeat(205)}`],
])('the return path %j is refused', (value) => {
  expect(parseReturnPath(value)).toBeUndefined()
})

test.each([
  undefined,
  null,
  0,
  1,
  true,
  {},
  [],
  ['/inbox'],
  { toString: () => '/inbox' },
  new URL('http://localhost/'),
])('the return path %p is not a string, so it is refused', (value) => {
  expect(parseReturnPath(value)).toBeUndefined()
})

test.each([
  ['/', '/'],
  ['/inbox', '/inbox'],
  ['/inbox/', '/inbox/'],
  ['/inbox?a=1&b=%20#c', '/inbox?a=1&b=%20#c'],
  ['/a/../inbox', '/inbox'],
  ['/./inbox', '/inbox'],
  ['/../inbox', '/inbox'],
  ['/a//b', '/a//b'],
  ['/é?ü#ö', '/%C3%A9?%C3%BC#%C3%B6'],
  ['/a?next=https://other.example/', '/a?next=https://other.example/'],
  [`/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
])('the local path %s is %s', (value, path) => {
  expect(parseReturnPath(value)).toBe(path)
})
