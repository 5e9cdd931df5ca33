import type { IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { type ProviderResponse, ResponseReader, readExhaustedLimit } from '../../../../lib/client/http/response-reader'
import type { OutcomeCode, Phase } from '../../../../lib/errors'
import { expectOutcome, thrownBy } from '../../../support/outcomes'

interface Answer {
  readonly phase?: Phase
  readonly status?: number
  readonly headers?: IncomingHttpHeaders
  readonly chunks?: readonly (string | Uint8Array)[]
}

const target = { origin: 'https://social.example', path: '/api/authorize' }

/** What a reader makes of a response. */
function read({ phase = 'exchange', status = 200, headers = {}, chunks = [] }: Answer): ProviderResponse {
  const reader = new ResponseReader(phase, false, target)
  if (reader.start(status, headers)) chunks.every((chunk) => reader.add(Buffer.from(chunk)))
  return reader.finish()
}

function expectRefusal(answer: Answer, code: OutcomeCode, retryable?: boolean) {
  const error = thrownBy(() => read(answer))
  const { phase = 'exchange' } = answer
  return expectOutcome(error, code, phase, ...(retryable === undefined ? [] : [{ retryable }]))
}

const KIB_64 = 64 * 1024
const page = '<!doctype html><h1>Down</h1>'

test('a response has its status, headers and text', () => {
  const headers = { 'content-type': 'application/json' }
  const response = { status: 404, headers, text: '{"a":1}', retried: false }
  expect(read({ status: 404, headers, chunks: ['{"a"', ':1}'] })).toEqual(response)
  expect(read({})).toMatchObject({ status: 200, text: '' })
})

test('the response to a second attempt says so', () => {
  const reader = new ResponseReader('exchange', true, target)
  reader.start(200, {})
  expect(reader.finish().retried).toBe(true)
})

test('the text is that of all chunks, of any size, even if their memory is used again', () => {
  const reader = new ResponseReader('exchange', false, target)
  reader.start(200, {})
  const sizes = [3, 100, 40, 3000, 5, 20_000, 30_000, ...new Array(600).fill(1)]
  const texts = sizes.map((size, at) => String(at % 10).repeat(size))
  for (const text of texts) {
    const chunk = Buffer.from(text)
    expect(reader.add(chunk)).toBe(true)
    chunk.fill('x')
  }
  expect(reader.finish().text).toBe(texts.join(''))
})

test('chunks are kept as they come up to 256, of which one more makes a single one', () => {
  const reader = new ResponseReader('exchange', false, target)
  reader.start(200, {})
  const joined = jest.spyOn(Buffer, 'concat')
  for (let count = 0; count < 256; count += 1) reader.add(Buffer.from('x'))
  expect(joined).toHaveBeenCalledTimes(0)
  reader.add(Buffer.from('x'))
  expect(joined).toHaveBeenCalledTimes(1)
  joined.mockRestore()
})

test('a character may be split between two chunks', () => {
  const bytes = Buffer.from('Zoë 😀')
  expect(read({ chunks: [bytes.subarray(0, 3), bytes.subarray(3, 7), bytes.subarray(7)] }).text).toBe('Zoë 😀')
})

test('64 KiB are read to their end, and one byte more is refused, in one chunk or two', () => {
  const text = 'x'.repeat(KIB_64)
  expect(read({ chunks: [text] }).text).toBe(text)
  expect(read({ chunks: [text.slice(1), 'x', ''] }).text).toBe(text)
  for (const chunks of [[`${text}x`], [text, 'x'], ['x', text]])
    expect(expectRefusal({ chunks }, 'provider_bad_response').message).toMatch(
      /larger than 64 KiB: is it a page, and not the API\? See /,
    )
})

test('nothing is read beyond 64 KiB', () => {
  const reader = new ResponseReader('exchange', false, target)
  expect(reader.start(200, {})).toBe(true)
  expect(reader.add(Buffer.alloc(KIB_64))).toBe(true)
  expect(reader.add(Buffer.alloc(1))).toBe(false)
})

test.each([400, 401, 403, 404, 499])(
  'of a response with status %d and more than 64 KiB, the status is known',
  (status) => {
    const headers = { 'retry-after': '7' }
    const response = { status, headers, text: '', retried: false }
    expect(read({ status, headers, chunks: [page, 'x'.repeat(KIB_64)] })).toEqual(response)
  },
)

test.each([
  { title: 'a byte that is not UTF-8', bytes: Buffer.from([0x22, 0xff, 0x22]) },
  { title: 'an overlong UTF-8 sequence', bytes: Buffer.from([0x22, 0xc0, 0xaf, 0x22]) },
  { title: 'UTF-16', bytes: Buffer.from('{"é":1}', 'utf16le') },
])('$title is refused', ({ bytes }) => {
  const { message } = expectRefusal({ chunks: [bytes] }, 'provider_bad_response')
  expect(message).toMatch(/not UTF-8\. See /)
})

test.each([
  ['120', 120],
  ['0', 0],
  ['9999999999', 86_400],
  ['9'.repeat(400), 86_400],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['soon', undefined],
  ['1e3', undefined],
  ['-5', undefined],
  ['soon 3000', undefined],
  ['GMT 5', undefined],
  ['', undefined],
  ['GMT, 5', 5],
])('a Retry-After of %j asks to wait for %p seconds', (value, seconds) => {
  const headers = { 'retry-after': value }
  expect(expectRefusal({ status: 429, headers }, 'provider_rate_limited').retryAfter).toBe(seconds)
  expect(expectRefusal({ status: 503, headers }, 'provider_unavailable').retryAfter).toBe(seconds)
})

test.each([
  [299, undefined],
  [300, 'provider_redirected'],
  [399, 'provider_redirected'],
  [400, undefined],
  [428, undefined],
  [429, 'provider_rate_limited'],
  [430, undefined],
  [499, undefined],
  [500, 'provider_unavailable'],
  [503, 'provider_unavailable'],
  [599, 'provider_unavailable'],
] as const)('the status %d is %s', (status, code) => {
  for (const phase of ['exchange', 'profile'] as const) {
    if (code) expectRefusal({ phase, status, chunks: [page] }, code)
    else expect(read({ phase, status }).status).toBe(status)
  }
})

test.each([
  [200, true],
  [302, false],
  [404, true],
  [429, true],
  [499, true],
  [500, false],
  [502, false],
  [503, true],
])('whether the body of a response with status %d is read: %p', (status, isRead) => {
  expect(new ResponseReader('profile', false, target).start(status, {})).toBe(isRead)
})

// Those that servers send without meaning a coding: browsers, curl and fetch read such a response as it is.
test.each([
  ...[undefined, '', ' ', ',', 'identity', 'IDENTITY', 'none', 'None', 'UTF-8', 'utf8', 'utf-8;', 'iso-8859-1', '8bit'],
  ...[
    'binary',
    'base64',
    'text/html',
    'application/json',
    'chunked',
    'default',
    'off',
    '*',
    'null',
    'false',
    '0',
    'gz',
  ],
  ...['none, utf-8', 'identity,identity', 'nogzip', 'brotli', 'not-gzip'],
])('the content-encoding %j is none', (encoding) => {
  expect(read({ headers: { 'content-encoding': encoding }, chunks: ['{}'] }).text).toBe('{}')
})

const JSON_TEXT = '{"access_token":"a"}'
const compressed: readonly (readonly [coding: string, compress: (text: string | Buffer) => Buffer])[] = [
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['x-gzip', gzipSync],
  [' gzip ', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
]

test.each(compressed)('a body in the coding %j is read, although nobody has asked for it', (encoding, compress) => {
  const headers = { 'content-encoding': encoding }
  expect(read({ headers, chunks: [compress(JSON_TEXT)] }).text).toBe(JSON_TEXT)
  // Something in front of the server may have taken the coding off, and left its header.
  expect(read({ headers, chunks: [JSON_TEXT] }).text).toBe(JSON_TEXT)
})

test.each(['[1]', '{}', '<p>x</p>', ' {}', '\n', '\ufeff{}', '\ufeff\n'])(
  'the text %j is read as it is, although a header says it has a coding',
  (text) => {
    for (const encoding of ['gzip', 'br', 'zstd', 'gzip, gzip'])
      expect(read({ headers: { 'content-encoding': encoding }, chunks: [text] }).text).toBe(text.replace('\ufeff', ''))
  },
)

test('gzip that no header tells of is read, and what only has one of its first two bytes is text', () => {
  expect(read({ chunks: [gzipSync(JSON_TEXT)] }).text).toBe(JSON_TEXT)
  for (const text of ['\u001f{}', '\u010b{}']) expect(read({ chunks: [text] }).text).toBe(text)
})

test('an empty body has no coding, and one that was coded twice is not read', () => {
  for (const encoding of ['gzip', 'zstd', 'gzip, gzip'])
    expect(read({ headers: { 'content-encoding': encoding } }).text).toBe('')
  for (const [encoding, body] of [
    ['gzip, gzip', gzipSync(JSON_TEXT)],
    ['gzip', 'x{}'],
  ] as const)
    expectRefusal({ headers: { 'content-encoding': encoding }, chunks: [body] }, 'provider_bad_response')
})

test.each(compressed)(
  'a bomb in the coding %j is refused, and takes no more memory than a body may',
  (encoding, compress) => {
    const headers = { 'content-encoding': encoding }
    expect(read({ headers, chunks: [compress(Buffer.alloc(KIB_64, ' '))] }).text).toHaveLength(KIB_64)
    const bomb = compress(Buffer.alloc(20_000_000, ' '))
    const before = process.memoryUsage().arrayBuffers
    const { message } = expectRefusal({ headers, chunks: [bomb] }, 'provider_bad_response')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000)
    expect(message).toMatch(/larger than 64 KiB/)
  },
)

test.each([
  ...[
    'zstd',
    'compress',
    'X-Compress',
    'aes128gcm',
    'exi',
    'pack200-gzip',
    'dcb',
    'dcz',
    'gzip, gzip',
    'br, gzip',
    'gzip',
  ],
])('a body in the coding %j that cannot be read is refused', (encoding) => {
  const given = { headers: { 'content-encoding': encoding }, chunks: [Buffer.from([0x28, 0xb5, 0x2f])] }
  const { message } = expectRefusal(given, 'provider_bad_response')
  expect(message).toMatch(/was compressed in a way that is not read, although compression was not accepted\. See /)
})

test('a body that the platform could not decode is refused as one that is not read', () => {
  const reader = new ResponseReader('exchange', false, target)
  reader.start(200, {})
  reader.add(Buffer.from(JSON_TEXT))
  reader.markUndecodable()
  const { message } = expectOutcome(
    thrownBy(() => reader.finish()),
    'provider_bad_response',
    'exchange',
  )
  expect(message).toMatch(/was compressed in a way that is not read, although compression was not accepted\. See /)
})

describe.each([
  [429, 'provider_rate_limited'],
  [503, 'provider_unavailable'],
] as const)('a status %d', (status, code) => {
  const wait = { 'retry-after': '17' }

  test.each<[IncomingHttpHeaders, string]>([
    [{ ...wait, 'cf-ray': '8c3f-FRA' }, page],
    [{ ...wait, 'cf-mitigated': 'challenge' }, ''],
    [{ ...wait, 'cf-mitigated': 'challenge' }, page.padEnd(KIB_64 + 1)],
    [wait, '<title>Just a moment...</title>'],
  ])('with marks of a firewall is a firewall that may let the next login pass (%#)', (headers, text) => {
    const { message, retryAfter } = expectRefusal({ status, headers, chunks: [text] }, 'provider_bad_response', true)
    expect([message, retryAfter]).toStrictEqual([expect.stringContaining('firewall'), 17])
  })

  test.each([[[]], [[' ', '\n']], [['{"a":1}', page]], [[' ', 'busy']], [[page]], [[page.padEnd(KIB_64 + 1)]]])(
    'says what it says without them (%#)',
    (chunks) => {
      const headers = { ...wait, 'content-type': 'text/html', 'content-encoding': 'gzip' }
      expect(expectRefusal({ status, headers, chunks }, code).retryAfter).toBe(17)
    },
  )
})

describe('a rate limit', () => {
  // Within a second: a wait is never too short by a part of one.
  const NOW = 1_800_000_000_400
  const inAnHour = { 'x-ratelimit-reset': '1800003600' }
  const nothingLeft = { 'x-ratelimit-remaining': '0' }

  beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW))
  afterEach(() => jest.restoreAllMocks())

  test.each<[string, IncomingHttpHeaders, number | undefined]>([
    ['nothing left of the quota', nothingLeft, undefined],
    ['a Retry-After', { 'retry-after': '17' }, 17],
    ['both', { ...nothingLeft, ...inAnHour, 'retry-after': '17' }, 17],
    ['the time of the reset', { ...nothingLeft, ...inAnHour }, 3600],
    ['a reset that is over', { ...nothingLeft, 'x-ratelimit-reset': '1000000000' }, 0],
    ['a reset in the far future', { ...nothingLeft, 'x-ratelimit-reset': '9999999999' }, 86_400],
    ['a reset of unknown unit', { ...nothingLeft, 'x-ratelimit-reset': '60' }, undefined],
    ['a reset in milliseconds', { ...nothingLeft, 'x-ratelimit-reset': '1800003600000' }, 3600],
    ['a quota that is told twice', { 'x-ratelimit-remaining': ['0', '0'] }, undefined],
    ['a quota that is told twice in one line', { 'x-ratelimit-remaining': '0, 0' }, undefined],
    ['a Retry-After that is a point in time', { 'retry-after': '1800003600' }, 3600],
    ['a Retry-After that is a point in time in milliseconds', { 'retry-after': '1800003600000' }, 3600],
    ['a Retry-After that is told twice', Object({ 'retry-after': ['17', '17'] }), 17],
    ['two times to wait', { 'retry-after': '1, 2' }, 2],
    ['a Retry-After with a fraction', { 'retry-after': '16.2' }, 17],
    ['a reset that is told twice', { ...nothingLeft, 'x-ratelimit-reset': ['1800003600', '1800003600'] }, 3600],
    ['a reset behind a word', { ...nothingLeft, 'x-ratelimit-reset': 'in 1800003600' }, undefined],
    ['a reset that is no number', { ...nothingLeft, 'x-ratelimit-reset': 'soon' }, undefined],
    ['a reset in milliseconds that is over', { ...nothingLeft, 'x-ratelimit-reset': '1000000000000' }, 0],
    ['a reset of nine digits', { ...nothingLeft, 'x-ratelimit-reset': '999999999' }, undefined],
    ['a reset of fourteen digits', { ...nothingLeft, 'x-ratelimit-reset': '18000036000000' }, undefined],
    ['a small reset with zeros before it', { ...nothingLeft, 'x-ratelimit-reset': '0000000060' }, undefined],
    ['a time of reset with a zero before it', { ...nothingLeft, 'x-ratelimit-reset': '01800003600' }, undefined],
    ['a Retry-After of a second', { 'retry-after': '1' }, 1],
    ['a Retry-After that a dispatcher gives as a number', JSON.parse('{"retry-after":5}'), 5],
  ])('is exhausted by %s', (_title, headers, seconds) => {
    expect(readExhaustedLimit(headers)).toEqual(seconds === undefined ? {} : { retryAfter: seconds })
  })

  test.each<[string, IncomingHttpHeaders]>([
    ['no such headers', {}],
    ['some quota left', { ...inAnHour, 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '1' }],
    ['a reset alone', inAnHour],
    ['two contradictory headers', { 'x-ratelimit-remaining': ['0', '5'] }],
    ['ten requests left', { 'x-ratelimit-remaining': '10' }],
    ['half a request left', { 'x-ratelimit-remaining': '0.5' }],
    ['a negative quota', { 'x-ratelimit-remaining': '-1' }],
    ['no time to wait', { 'retry-after': '0' }],
    ['a time that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    ['a time that cannot be read', { 'retry-after': 'soon' }],
  ])('is not exhausted by %s', (_title, headers) => {
    expect(readExhaustedLimit(headers)).toBeUndefined()
  })

  test.each([{ 'retry-after': new Date(NOW + 3600_000).toUTCString() }, inAnHour])(
    'of a 429 ends at the time that %j says',
    (headers) => {
      expect(expectRefusal({ status: 429, headers }, 'provider_rate_limited').retryAfter).toBe(3600)
    },
  )
})

test('the reset of a rate limit is no time at which a server will be available', () => {
  const headers = { 'x-ratelimit-reset': '9999999999' }
  expect(expectRefusal({ status: 503, headers }, 'provider_unavailable').retryAfter).toBeUndefined()
})

test('a redirect says in what its address differs from that of the request', () => {
  const headers = { location: 'http://social.example/api/authorize' }
  expect(expectRefusal({ status: 302, headers }, 'provider_redirected').message).toMatch(
    / It leads from https to plain http: [^:]+\. See /,
  )
})

test('words of a firewall are recognised in two chunks', () => {
  expectRefusal({ status: 503, chunks: ['Incapsula inci', 'dent ID'] }, 'provider_bad_response', true)
})

test('what comes with the chunk that makes a body larger than 64 KiB is not looked at', () => {
  const mark = 'Incapsula incident ID'
  const rest = ' '.repeat(KIB_64)
  expectRefusal({ status: 503, chunks: [mark, rest] }, 'provider_bad_response', true)
  expectRefusal({ status: 503, chunks: [mark + rest] }, 'provider_unavailable')
})
