import { parseURL, resolvePath, withoutBrackets } from '../../../lib/client/url'

const BASE = 'https://app.example/folder/'

test.each<[string, string, boolean]>([
  ['a host of 255 characters', `https://${'h'.repeat(255)}/`, true],
  ['a host of 256 characters', `https://${'h'.repeat(256)}/`, false],
  ['2,048 characters', `https://h.example/${'p'.repeat(2048 - 18)}`, true],
  ['2,049 characters', `https://h.example/${'p'.repeat(2049 - 18)}`, false],
  ['a host that is encoded', 'https://h%65.example/', false],
  ['a host with a control character', 'https://h\n.example/', false],
  ['no host', 'https:/path', false],
  ['no host at all', 'https:///', false],
  ['a scheme in capitals', 'HTTPS://h.example', true],
  ['a scheme of any kind', 'a9+.-b://h.example', true],
  ['a scheme that begins with a digit', '9a://h.example', false],
  ['something before the scheme', ' https://h.example', false],
  ['a query behind the host', 'https://h.example?a', true],
  ['a fragment behind the host', 'https://h.example#a', true],
  ['a backslash behind the host', 'https://h.example\\a', true],
  ['a name that no parser accepts', 'https://h h.example', false],
])('a URL with %s', (_title, url, isURL) => {
  expect(parseURL(url) !== undefined).toBe(isURL)
})

test.each<[string, string, boolean]>([
  ['2,048 characters', 'p'.repeat(2048), true],
  ['2,049 characters', 'p'.repeat(2049), false],
  ['two slashes', '//evil.example/', false],
  ['a slash and a backslash', '/\\evil.example/', false],
  ['two backslashes', '\\\\evil.example/', false],
  ['a backslash behind', 'a\\..\\b', false],
  ['another scheme', 'javascript:alert(1)', false],
  ['another scheme in capitals', 'HTTPS:evil.example', false],
  ['a tab, which parsers strip', '/\t/evil.example/', false],
  ['a line break, which parsers strip', '/a\n/b', false],
  ['another scheme, of all kinds of characters', 'a9+.-b:evil.example', false],
  ['a colon behind a slash', '/a:b', true],
  ['a colon behind a folder', 'a/b:c', true],
  ['a colon behind what is no scheme', '9a:b', true],
  ['two slashes behind a folder', '/a//b', true],
])('a path with %s', (_title, path, isPath) => {
  const url = resolvePath(path, BASE)
  expect(url !== undefined).toBe(isPath)
  if (url) expect(url.host).toBe('app.example')
})

test('a path is read on its base, and a URL as it is', () => {
  expect(resolvePath('a/../b?c', BASE)?.href).toBe('https://app.example/folder/b?c')
  expect(resolvePath('/b', BASE)?.href).toBe('https://app.example/b')
  expect(resolvePath('/b', 'no base')).toBeUndefined()
  expect(parseURL('https://H.example:443/a')?.href).toBe('https://h.example/a')
})

test('an address of IPv6 is given to sockets without its brackets, and other hosts as they are', () => {
  expect(['[::1]', '127.0.0.1', 'h.example'].map(withoutBrackets)).toStrictEqual(['::1', '127.0.0.1', 'h.example'])
})
