import { createServer } from 'node:net'
import { SocialLoginClient } from '../../../lib'
import { unreachableHint } from '../../../lib/client/http/network-errors'
import { redirectHint } from '../../../lib/client/http/redirect'
import type { ProviderResponse } from '../../../lib/client/http/response-reader'
import { readProfile, readToken } from '../../../lib/client/response/responses'
import { thrownBy } from '../../support/client'
import { port } from '../../support/listen'

// One code has many causes. Each is told apart from the others of its code, by kinds and counts, and never by a word of the provider.
const deep = `${'['.repeat(34)}1${']'.repeat(34)}`
const bodies: Readonly<Record<string, readonly [body: string, says: string]>> = {
  'a warning of PHP before the JSON': [
    '<b>canary</b> {"user_id":"1"}',
    'There are 13 characters before the JSON and 0 behind it, such as a warning of PHP or a comment.',
  ],
  'text behind the JSON': ['{"user_id":"1"}\ncanary', 'There are 0 characters before the JSON and 6 behind it'],
  'HTML inside of the JSON': [
    '{"user_id":<br /><b>canary</b>"1"}',
    'There is HTML inside of the JSON, such as a warning of PHP',
  ],
  'one name twice': ['{"user_id":"1","user_id":"canary"}', 'It is JSON with a duplicate name.'],
  'too many levels': [
    `{"user_id":"canary","a":${deep}}`,
    'It is JSON of more than 33 levels, which is a limit of this package.',
  ],
  'a comment with braces before the JSON': [
    '/* {"canary"} */\n {"user_id":"1"}',
    'There are 16 characters before the JSON and 0 behind it, such as a warning of PHP or a comment.',
  ],
  'a trace of PHP before the JSON': [
    '#0 canary {main}\r\n{"user_id":"1"}',
    'There are 16 characters before the JSON and 0 behind it, such as a warning of PHP or a comment.',
  ],
  'byte order marks': [
    '\n\ufeff \ufeff{"user_id":"1"}\ufeff',
    'There are 3 characters before the JSON and 1 behind it, some of them byte order marks.',
  ],
  'one byte order mark': [
    '\n\ufeff{"user_id":"1"}',
    'There are 1 characters before the JSON and 0 behind it, all of them byte order marks.',
  ],
  'a link in a text': [
    '{"user_id":"<a href="/canary">1</a>"}',
    'There is HTML inside of the JSON, such as a warning of PHP',
  ],
  'JSON that is cut off': ['{"user_id":"1","canary":{"a":1}', 'It ends in the middle'],
  'JSON that is cut off in a text': ['{"user_id":"1","name":"canary } \\"', 'It ends in the middle'],
  'JSON with a comma too many': ['{"user_id":"1","a":"<b class=\\"canary\\">",}', 'It is not a JSON document.'],
  'no JSON at all': ['canary', 'It holds none.'],
}

function messageOf(read: (response: ProviderResponse) => unknown, text: string): string {
  const error = thrownBy(() => read({ status: 200, headers: {}, text, retried: false }))
  return error instanceof Error ? error.message : ''
}

test('what is labelled as a page may have been rewritten, and what is labelled as JSON has not', () => {
  const text = '{"user_id":"<a href="/canary">1</a>"}'
  const messages = ['text/html; charset=utf-8', 'application/json'].map((type) =>
    String(thrownBy(() => readProfile({ status: 200, headers: { 'content-type': type }, text, retried: false }))),
  )
  expect(messages.map((message) => message.includes('It is labelled as a page'))).toEqual([true, false])
})

test.each(Object.keys(bodies))('%s is named, and no other cause of a bad response', (cause) => {
  const [body = '', says = ''] = bodies[cause] ?? []
  for (const read of [readProfile, readToken]) {
    const message = messageOf(read, body)
    const said = Object.values(bodies).flatMap(([, each]) => (message.includes(each) ? [each] : []))
    expect(said.filter((each) => !says.startsWith(each))).toEqual([])
    expect(message).toContain(says)
    expect(message).not.toContain('canary')
  }
})

const target = { origin: 'http://social.example:8080', path: '/api/authorize?a=1' }
const redirects: readonly (readonly [location: string | undefined, says: RegExp])[] = [
  ['https://social.example/api/authorize', /^It leads to the same host by https/],
  ['http://www.social.example:8080/api/authorize', /^It leads to another host/],
  ['https://social-canary.example/api/authorize', /^It leads to another host/],
  ['http://social.example:9090/api/authorize', /^It leads to another host/],
  ['/api/authorize/', /with a slash at its end, or without.*no baseURL helps/],
  ['http://social.example:8080/api/authorize/?canary=1', /with a slash at its end/],
  ['/login?canary', /^It leads to another path on the same host/],
  [undefined, /^It does not say where to/],
  ['', /^It does not say where to/],
  ['javascript:canary', /^It does not say where to/],
  ['/api/authorize', /^It does not say where to/],
]

test.each(redirects)('a redirect to %s: %s', (location, says) => {
  const hint = redirectHint(target, location)
  expect(hint).toMatch(says)
  expect(
    new Set(redirects.flatMap(([, other]) => (other.test(hint) ? [redirectHint(target, location)] : []))).size,
  ).toBe(1)
  expect(hint).not.toMatch(/canary|social/)
})

test('a redirect from https to plain http is called so', () => {
  const hint = redirectHint(
    { origin: 'https://social.example', path: '/api/authorize' },
    'http://social.example/api/authorize',
  )
  expect(hint).toMatch(/^It leads from https to plain http/)
})

const CERTIFICATES: readonly (readonly [code: string, says: RegExp])[] = [
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /does not send the certificates in between/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /does not send the certificates in between/],
  ['CERT_HAS_EXPIRED', /expired or not valid yet/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /for another host name/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /of your own making/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /of your own making/],
  ['CERT_REVOKED', /^The certificate was not accepted\.$/],
]

test.each(CERTIFICATES)('the certificate error %s names its cause alone', (code, says) => {
  const hint = unreachableHint({ code }) ?? ''
  expect(hint).toMatch(says)
  for (const [, other] of CERTIFICATES) if (String(other) !== String(says)) expect(hint).not.toMatch(other)
})

// What servers answer to the first message of a handshake: Node 17 and later, with OpenSSL 3, refuse more than browsers do.
const serverHello = (version: number): Buffer => {
  const rest = [...Buffer.alloc(32, 7), 0, 0xc0, 0x2f, 0]
  const message = [2, 0, 0, rest.length + 2, 3, version, ...rest]
  return Buffer.from([22, 3, version, 0, message.length, ...message])
}
const alert = (description: number): Buffer => Buffer.from([21, 3, 1, 0, 2, 2, description])

test.each([
  ['without secure renegotiation', serverHello(3), /no version or cipher of TLS in common/],
  ['with TLS 1.0', serverHello(1), /no version or cipher of TLS in common/],
  ['that refuses the version', alert(70), /no version or cipher of TLS in common/],
  ['that refuses all ciphers', alert(40), /no version or cipher of TLS in common/],
  ['that does not know the name', alert(112), /The TLS handshake failed: does that port speak https\?$/],
  [
    'of plain http',
    Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    /The TLS handshake failed: does that port speak https\?$/,
  ],
])('a server %s is told by what can be mended', async (_title, answer, says) => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.write(answer)))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const baseURL = `https://127.0.0.1:${port(server)}/api/v1`
  const client = new SocialLoginClient({ baseURL, clientID: 'app', clientSecret: 'secret' })
  await expect(client.exchangeAuthKey('key')).rejects.toThrow(says)
  await client.close()
  server.close()
})
