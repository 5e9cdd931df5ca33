import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseReturnPath, reasonToDrop, withoutAppOrigin } from '../../../../lib/login/pending-login/return-path'

// Hostile return paths: each is refused, or becomes a path within the origin.
const curated: readonly string[] = JSON.parse(
  readFileSync(join(__dirname, '../../../../../test/fixtures/open-redirects.json'), 'utf8'),
)

// What browsers read as the beginning of another origin.
const refused = [
  ...['//', '///', '////', '/\\', '\\/', '\\\\', '\\', '/\\/', '//\\', '/\\\\', '\\\\/', '/\t/', '/\n/', '/\r/'],
  ...['/.//', '/..//', '/././/', '/a/..//', '/a/b/../..//', '/%2e//', '/%2E%2e//', '/.%2e//', '/a/%2e%2e//'],
  ...['http://', 'https://', 'HTTPS://', 'https:/', 'https:', 'http:/\\', 'https:\\\\', 'ftp://', 'ws://', '://', ':/'],
].map((prefix) => `${prefix}evil.example`)

test('a check of the first characters alone would allow other origins', () => {
  const app = 'https://app.example'
  const naive = curated.filter((value) => /^\/(?![/\\])/.test(value) && new URL(value, app).origin !== app)
  expect(naive.length).toBeGreaterThan(3)
})

test.each([...curated, ...refused])('the return path %j never leads to another origin', (value) => {
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
  ...refused,
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

test('only a text that is a URL of the application becomes its path', () => {
  const request = { method: 'GET', target: '/auth', header: () => undefined }
  const policy = { appOrigin: 'https://app.example' }
  expect(withoutAppOrigin('HTTPS://app.example/inbox?a=1#b', request, policy)).toBe('/inbox?a=1#b')
  const others = [
    'blob:https://app.example/7',
    'https://evil.example/inbox',
    '/inbox',
    ['https://app.example/inbox'],
    7,
  ]
  for (const other of others) expect(withoutAppOrigin(other, request, policy)).toBe(other)
})

const leftOut: readonly (readonly [value: unknown, reason: string | undefined])[] = [
  ...[undefined, null, ''].map((value) => [value, undefined] as const),
  ...[7, false, ['/inbox'], {}].map((value) => [value, 'no text'] as const),
  ...['inbox', './inbox', '?a', '#a', ' /inbox', 'évil:x', '1:x', ':x', 'a/b:x'].map(
    (value) => [value, 'no slash'] as const,
  ),
  ...['https://evil.example', 'JavaScript:alert(1)', 'x+y.z-1:x'].map((value) => [value, 'another origin'] as const),
  ...['//evil.example', '/\\evil.example', '\\/evil.example'].map((value) => [value, 'another origin'] as const),
  ...['/\t/evil.example', '/.//evil.example', '/a/..//evil.example'].map((value) => [value, 'another origin'] as const),
  [`/a\\${'a'.repeat(1021)}`, 'another origin'],
  ...[`/${'a'.repeat(1024)}`, `/${'a'.repeat(4000)}`, '/é'.repeat(400)].map((value) => [value, 'too long'] as const),
]

test.each(leftOut.map(([value, reason]) => ({ value, reason })))(
  'of the return path number %#, which is left out, it is known why',
  ({ value, reason }) => {
    expect(parseReturnPath(value)).toBeUndefined()
    expect(reasonToDrop(value)).toBe(reason)
  },
)
