import { createServer } from 'node:net'
import { OUTCOMES, SocialLoginClient } from '../../../lib'
import { redirectHint } from '../../../lib/client/http/redirect'
import type { ProviderResponse } from '../../../lib/client/http/response-reader'
import { readProfile, readToken } from '../../../lib/client/response/responses'
import { withoutAddress } from '../../../lib/errors'
import { port } from '../../support/listen'
import { thrownBy } from '../../support/outcomes'

// One code has many causes. Each is told apart from the others of its code, by kinds and counts, and never by a word of the provider.
const deep = `${'['.repeat(34)}1${']'.repeat(34)}`
const around = (before: number, after: number, what = 'such as a warning of PHP or a comment'): string =>
  `There are ${before} characters before the JSON and ${after} behind it, ${what}.`
const HTML_INSIDE = 'There is HTML inside of the JSON, such as a warning of PHP.'
const CUT_OFF =
  'It ends in the middle: was its Content-Length counted in characters instead of bytes, or has something in between cut it off?'
const NO_DOCUMENT = 'It is not a JSON document.'
const bodies: Readonly<Record<string, readonly [body: string, says: string]>> = {
  'a warning of PHP before the JSON': ['<b>canary</b> {"user_id":"1"}', around(13, 0)],
  'text behind the JSON': ['{"user_id":"1"}\ncanary', around(0, 6)],
  'HTML inside of the JSON': ['{"user_id":<br /><b>canary</b>"1"}', HTML_INSIDE],
  'one name twice': ['{"user_id":"1","user_id":"canary"}', 'It is JSON with a duplicate name.'],
  'too many levels': [
    `{"user_id":"canary","a":${deep}}`,
    'It is JSON of more than 33 levels, which is a limit of this package.',
  ],
  'a comment with braces before the JSON': ['/* {"canary"} */\n {"user_id":"1"}', around(16, 0)],
  'a trace of PHP before the JSON': ['#0 canary {main}\r\n{"user_id":"1"}', around(16, 0)],
  'byte order marks': ['\n\ufeff \ufeff{"user_id":"1"}\ufeff', around(3, 1, 'some of them byte order marks')],
  'one byte order mark': ['\n\ufeff{"user_id":"1"}', around(1, 0, 'all of them byte order marks')],
  'a byte order mark behind the JSON': ['{"user_id":"1"}\ufeff', around(0, 1, 'all of them byte order marks')],
  'white space around text': ['\t\n\r a canary \r\n\t{"user_id":"1"}\t\n\r a canary\t\r\n ', around(8, 8)],
  'text before an empty object': ['canary {}', around(6, 0)],
  'text before an empty list': ['canary []', around(6, 0)],
  'text before a list of texts': ['canary ["a"]', around(6, 0)],
  'text before a list of objects': ['canary [{}]', around(6, 0)],
  'text before a list of lists': ['canary [[]]', around(6, 0)],
  'a day in brackets before the JSON': ['[Fri] canary {"user_id":"1"}', around(12, 0)],
  'a comment of HTML with braces before the JSON': ['\n<!-- {"canary"}\n -->{"user_id":"1"}\n', around(20, 0)],
  'a comment of one line with braces before the JSON': ['// {"canary"}\n{"user_id":\n"1"}', around(13, 0)],
  'a link in a text': ['{"user_id":"<a href="/canary">1</a>"}', HTML_INSIDE],
  'JSON that is cut off': ['{"user_id":"1","canary":{"a":1}', CUT_OFF],
  'JSON that is cut off in a list': ['{"user_id":"1","canary":[[1]', CUT_OFF],
  'JSON that is cut off in a text': ['{"user_id":"1","name":"canary } \\"', CUT_OFF],
  'JSON with a comma too many': ['{"user_id":"1","a":"<b class=\\"canary\\">",}', NO_DOCUMENT],
  'a comma too many behind a list': ['{"user_id":["canary"],}', NO_DOCUMENT],
  'a comma too many behind a warning of PHP': ['<b>canary</b> {"user_id":"1",}', NO_DOCUMENT],
  'a comma too many behind a tag in a text with quotes': ['{"a":"\\"<b>canary</b>",}', NO_DOCUMENT],
  'a comma too many behind a tag in a text with a line end': ['{"a":"\\n<b>canary</b>",}', NO_DOCUMENT],
  'a comma too many behind a formula': ['{"a":"a <b>canary=","b":"a <b < canary=","c":"< canary=",}', NO_DOCUMENT],
  'a comma too many behind a tag that ends in a quote': ['{"a":"<b \\"canary=",}', NO_DOCUMENT],
  'comparisons in place of values': ['{"a":1<canary,"b":2<3>1}', NO_DOCUMENT],
  'no JSON at all': ['canary', 'It holds none.'],
}

function messageOf(read: (response: ProviderResponse) => unknown, text: string): string {
  const error = thrownBy(() => read({ status: 200, headers: {}, text, retried: false }))
  return error instanceof Error ? withoutAddress(error.message) : ''
}

test('what is labelled as a page may have been rewritten, and what is labelled as JSON has not', () => {
  const text = '{"user_id":"<a href="/canary">1</a>"}'
  const messages = ['text/html; charset=utf-8', 'application/json'].map((type) =>
    String(thrownBy(() => readProfile({ status: 200, headers: { 'content-type': type }, text, retried: false }))),
  )
  expect(messages.map((message) => message.includes('It is labelled as a page'))).toStrictEqual([true, false])
})

test.each(Object.keys(bodies))('%s is named, and no other cause of a bad response', (cause) => {
  const [body = '', says = ''] = bodies[cause] ?? []
  const { message } = OUTCOMES.provider_bad_response
  expect(messageOf(readProfile, body)).toBe(`${message} The profile must be answered with JSON. ${says}`)
  expect(messageOf(readToken, body)).toBe(`${message} The exchange must be answered with a JSON object. ${says}`)
})

const target = { origin: 'http://social.example:8080', path: '/api/authorize?a=1' }
const TO_HTTPS = 'It leads to the same host by https: begin baseURL with https.'
const TO_HTTP =
  'It leads from https to plain http: the provider, or a proxy in front of it, takes the request for plain http.'
const TO_HOST = 'It leads to another host (with www, without, or a new name): baseURL must have that host.'
const TO_SLASH =
  'It leads to the same path with a slash at its end, or without: a rewrite rule of the provider does that, which must leave the API out; no baseURL helps.'
const TO_PATH =
  'It leads to another path on the same host: is that a page, such as a login or a maintenance, or has the API moved?'
const TO_NOTHING = 'It does not say where to.'

test.each([
  ['https://social.example/api/authorize', TO_HTTPS],
  ['http://www.social.example:8080/api/authorize', TO_HOST],
  ['https://social-canary.example/api/authorize', TO_HOST],
  ['//www.social.example:8080/api/authorize', TO_HOST],
  ['http://social.example:9090/api/authorize', TO_HOST],
  ['/api/authorize/', TO_SLASH],
  ['http://social.example:8080/api/authorize/?canary=1', TO_SLASH],
  ['/login?canary', TO_PATH],
  ['/api/authorizes', TO_PATH],
  [undefined, TO_NOTHING],
  ['', TO_NOTHING],
  ['javascript:canary', TO_NOTHING],
  ['/api/authorize', TO_NOTHING],
])('a redirect to %s: %s', (location, hint) => {
  expect(redirectHint(target, location)).toBe(hint)
})

test('a redirect from https to plain http, and one away from a slash, are called so', () => {
  const from = { origin: 'https://social.example', path: '/api/authorize/' }
  expect(redirectHint(from, 'http://social.example/api/authorize')).toBe(TO_HTTP)
  expect(redirectHint(from, 'https://social.example/api/authorize')).toBe(TO_SLASH)
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
  ['that does not know the name', alert(112), /The TLS handshake failed: does that port speak https\? See /],
  [
    'of plain http',
    Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    /The TLS handshake failed: does that port speak https\? See /,
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
