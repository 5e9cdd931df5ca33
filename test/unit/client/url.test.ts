import { parseURL, resolvePath } from '../../../lib/client/url'

const BASE = 'https://app.example/folder/'

test.each<[string, string, boolean]>([
  ['a host of 255 characters', `https://${'h'.repeat(255)}/`, true],
  ['a host of 256 characters', `https://${'h'.repeat(256)}/`, false],
  ['2,048 characters', `https://h.example/${'p'.repeat(2048 - 18)}`, true],
  ['2,049 characters', `https://h.example/${'p'.repeat(2049 - 18)}`, false],
  ['a host that is encoded', 'https://h%65.example/', false],
  ['a host with a control character', 'https://h\n.example/', false],
  ['no host', 'https:/path', false],
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
  ['a colon behind a slash', '/a:b', true],
])('a path with %s', (_title, path, isPath) => {
  const url = resolvePath(path, BASE)
  expect(url !== undefined).toBe(isPath)
  if (url) expect(url.host).toBe('app.example')
})
