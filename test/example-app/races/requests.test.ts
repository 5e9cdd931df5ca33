import { JSONCookie } from 'cookie-parser'
import { sameOriginNavigation } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import type { RunningExample } from '../../support/example/example-app'
import { onBothStorages } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'
import { sendBytes } from '../../support/raw-requests'

const CALLBACK = '/auth/social-login/callback'
const KEY = 'auth-key-canary-77aa0b1c'

onBothStorages('requests that no browser sends', (fresh) => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let ada: Visitor

  beforeAll(async () => {
    example = await examples.start((await fresh()).environment)
    ada = examples.visitor()
    await ada.signIn(example.appURL)
  })

  const PATHS = ['/', '/login', '/profile', '/account', '/login/confirm', '/auth/social-login', CALLBACK, '/nowhere']

  test('cookie-parser makes objects of cookies that begin with "j:", where express-session expects text', () => {
    expect(JSONCookie('j:{"a":1}')).toEqual({ a: 1 })
  })

  test.each([
    'example-session=j:{"a":1}',
    'example-session=j%3A%7B%22a%22%3A1%7D',
    'example-session=j:[]',
    'example-session=s:j:{"a":1}.x',
    '__Host-example-session=j:{"a":1}',
    'example-known-logins=j:{"includes":1}',
    'example-known-logins=s%3Aj%3A%7B%7D.x',
    'example-session=%',
    'example-session=%00',
    'example-session=s%3A%00.%00',
    'example-session=s:\u00ff.\u00ff',
    'example-session="',
    '__proto__=1; constructor=j:{"a":1}; toString=x',
    ';;;===;,',
    `example-session=${'x'.repeat(8000)}`,
  ])('the cookie %.60s signs its sender in nowhere, on every page', async (cookie) => {
    for (const path of PATHS) {
      const answer = await new Browser().request(`${example.appURL}${path}`, {
        headers: { ...sameOriginNavigation, cookie },
      })
      expect([path, answer.status < 500]).toStrictEqual([path, true])
    }
    const headers = { accept: 'application/json', cookie }
    expect((await new Browser().request(`${example.appURL}/profile`, { headers })).status).toBe(401)
  })

  const own = async (): Promise<string> => `Cookie: ${await ada.browser.cookies(example.appURL)}`
  const FORM = 'Content-Type: application/x-www-form-urlencoded'
  const SAME = 'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document'

  test.each<[string, string, string[], string]>([
    ['the target *', 'POST *', [], ''],
    ['the target * of OPTIONS', 'OPTIONS *', [], ''],
    ['an absolute target', 'GET http://elsewhere.example/login', [], ''],
    ['an absolute target without a path', 'GET http://elsewhere.example', [], ''],
    ['an absolute target with a port that is none', 'GET http://elsewhere.example:99999/login', [], ''],
    ['an absolute target with a host that is none', 'GET http://[::1/login', [], ''],
    ['an absolute callback', `GET http://elsewhere.example${CALLBACK}?auth_key=K`, [SAME], ''],
    ['an absolute start', 'GET http://elsewhere.example/auth/social-login', [SAME], ''],
    ['an absolute target with a zero byte for its host', 'GET http://%00/login', [], ''],
    // Node emits a warning for these that contains the whole target.
    ['a key behind a host that is none', `GET http://[::1/login?auth_key=${KEY}`, [], ''],
    ['a key behind a port that is none', `GET http://localhost:99999/login?auth_key=${KEY}`, [], ''],
    ['a path that a fragment makes a host', 'GET //a^#@b', [], ''],
    ['a path that a no-break space makes a host', 'GET //a^\u00a0@b', [], ''],
    ['two slashes', 'GET //evil.example/%2e%2e', [SAME], ''],
    ['a login wall with two slashes', 'GET //account', [SAME], ''],
    ['malformed escapes in the path', 'GET /%E0%A4%A', [], ''],
    ['malformed escapes in the query', 'GET /login?reason=%E0%A4%A&returnTo=%', [], ''],
    ['a zero byte in path and query', 'GET /login%00?reason=%00&returnTo=%00', [], ''],
    ['a reason that is a member of all objects', 'GET /login?reason=__proto__', [], ''],
    ['a list for a reason', 'GET /login?reason[]=x&reason[a]=y', [], ''],
    ['a strange method', 'PROPFIND /profile', [SAME], ''],
    ['TRACE', 'TRACE /login', [], ''],
    ['a strange method at the callback', `PUT ${CALLBACK}`, [SAME], ''],
    ['HEAD of the callback', `HEAD ${CALLBACK}`, [SAME], ''],
    ['a Host that is none', 'GET /auth/social-login', [SAME, 'Host: ['], ''],
    ['a Host with a zero port', 'POST /auth/social-login', ['Origin: http://[', 'Host: a:0:b'], ''],
    ['an Origin that is none', 'POST /logout', ['Origin: http://['], ''],
    ['two keys', `GET ${CALLBACK}?auth_key=a&auth_key=b`, [SAME], ''],
    ['a key of 5,000 characters', `GET ${CALLBACK}?auth_key=${'x'.repeat(5000)}`, [SAME], ''],
    ['two of a header', 'GET /login', ['Accept: text/html', 'Accept: */*;q=x', 'Cookie: a', 'Cookie: b'], ''],
    ['an Accept that is none', 'GET /profile', ['Accept: ;;,/*;q=-1,json'], ''],
    ['an empty Accept', 'GET /profile', ['Accept:'], ''],
    ['a strange X-Forwarded-Proto', 'GET /auth/social-login', [SAME, 'X-Forwarded-Proto: ,,gopher,'], ''],
    ['a strange X-Forwarded-Host', 'GET /auth/social-login', [SAME, 'X-Forwarded-Host: [,'], ''],
    ['an unknown charset', 'POST /logout', ['Content-Type: application/x-www-form-urlencoded; charset=klingon'], 'a=b'],
    ['an unknown encoding', 'POST /logout', [FORM, 'Content-Encoding: rot13'], 'a=b'],
    ['gzip that is none', 'POST /logout', [FORM, 'Content-Encoding: gzip'], 'a=b'],
    ['a content type that is none', 'POST /auth/social-login', [SAME, 'Content-Type: ;;;'], 'a=b'],
    ['JSON in the place of a form', 'POST /login/confirm', [SAME, 'Content-Type: application/json'], '{"a":'],
    ['malformed escapes in a body', 'POST /account/unlink', [SAME, FORM], 'login=%E0%A4%A&login=%'],
    ['a zero byte in a body', 'POST /account/unlink', [SAME, FORM], 'login=%00'],
    ['half a surrogate in a body', 'POST /account/unlink', [SAME, FORM], 'login=%ED%A0%80'],
    ['a zero byte in an answer', 'POST /login/confirm', [SAME, FORM], 'confirmation=%00&decision=%00'],
    ['a zero byte in a return path', 'POST /auth/social-login', [SAME, FORM], 'returnTo=/%00'],
    ['5,000 fields', 'POST /logout', [SAME, FORM], 'a&'.repeat(5000)],
    ['a member of all objects in a body', 'POST /login/confirm', [SAME, FORM], '__proto__=1&constructor=2'],
    ['a body that is too big', 'POST /login/confirm', [SAME, FORM], 'x'.repeat(20_000)],
    ['an expectation', 'GET /login', ['Expect: something'], ''],
    ['a range', 'GET /style.css', ['Range: bytes=5-1'], ''],
  ])('%s is answered, and not with an internal error', async (_name, line, headers, body) => {
    const length = `Content-Length: ${Buffer.byteLength(body)}`
    const cookies = headers.some((header) => header.startsWith('Cookie')) ? [] : [await own()]
    const hosts = headers.some((header) => header.startsWith('Host')) ? [] : ['Host: localhost']
    const head = [`${line} HTTP/1.1`, ...hosts, ...cookies, ...headers, length, 'Connection: close', '', body]
    const answer = await sendBytes(example.appURL, head.join('\r\n'))
    expect(answer).toMatch(/^HTTP\/1\.1 [1-4]\d\d /)
    expect(example.output()).not.toContain('"status":500')
    expect(example.output()).not.toContain(KEY)
  })

  test('a session that such a request came with is still there', async () => {
    const newcomer = ada
    await newcomer.signIn(example.appURL)
    expect((await newcomer.whoAmI(example.appURL))?.['id']).toBe('1')
  })
})
