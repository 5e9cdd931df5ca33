import type { IncomingHttpHeaders } from 'node:http'
import { LargePage, type ProviderResponse, ResponseReader } from '../../../../lib/client/http/response-reader'
import type { OutcomeCode, Phase } from '../../../../lib/errors'
import { expectOutcome, thrownBy } from '../../../support/client'

interface Answer {
  readonly phase?: Phase
  readonly status?: number
  readonly headers?: IncomingHttpHeaders
  readonly chunks?: readonly (string | Uint8Array)[]
}

/** A reader that has read the response up to its end. */
function readerOf({ phase = 'exchange', status = 200, headers = {}, chunks = [] }: Answer): ResponseReader {
  const reader = new ResponseReader(phase, false)
  reader.start(status, headers)
  for (const chunk of chunks) reader.add(Buffer.from(chunk))
  return reader
}

const read = (answer: Answer): ProviderResponse => readerOf(answer).finish()

function expectRefusal(answer: Answer, code: OutcomeCode, retryable?: boolean) {
  const error = thrownBy(() => read(answer))
  const { phase = 'exchange' } = answer
  return expectOutcome(error, code, phase, ...(retryable === undefined ? [] : [{ retryable }]))
}

const KIB_64 = 64 * 1024
const html = { 'content-type': 'text/html; charset=utf-8' }
const page = '<!doctype html><h1>Down</h1>'

test('a response has its status and text, and no limit', () => {
  const json = '{"a":1}'
  expect(read({ chunks: [json] })).toEqual({
    status: 200,
    text: json,
    isPage: false,
    exhaustedLimit: undefined,
    retried: false,
  })
  expect(read({ status: 404, chunks: [page] })).toMatchObject({ status: 404, text: page, isPage: true })
  expect(read({})).toMatchObject({ text: '', isPage: false })
  expect(read({ headers: { 'x-ratelimit-remaining': '0' } })).toHaveProperty('exhaustedLimit', {})
})

test('the text is that of all chunks, of any size, even if their memory is used again', () => {
  const reader = readerOf({})
  const texts = [1, 3, 1, 100, 40, 3000, 5, 20_000, 30_000].map((size, at) => String(at).repeat(size))
  for (const text of texts) {
    const chunk = Buffer.from(text)
    reader.add(chunk)
    chunk.fill('x')
  }
  expect(reader.finish().text).toBe(texts.join(''))
})

test('memory is taken as the body needs it, and for the smallest chunks not one by one', () => {
  const alloc = jest.spyOn(Buffer, 'alloc')
  const taken = (chunks: string[]): number[] => {
    alloc.mockClear()
    read({ chunks })
    return alloc.mock.calls.map(([size]) => size)
  }
  expect(Math.max(...taken(['{"user_id"', ':"1"}']))).toBeLessThan(100)
  expect(taken(Array<string>(2000).fill('x')).length).toBeLessThan(20)
  alloc.mockRestore()
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
    expect(expectRefusal({ chunks }, 'provider_bad_response').message).toMatch(/larger than 64 KiB\.$/)
})

test.each([[[page.padEnd(KIB_64 + 1)]], [[' ', page, 'x'.repeat(KIB_64)]], [['\ufeff\n<?xml?>', 'x'.repeat(KIB_64)]]])(
  'a page of more than 64 KiB is one without its text (%#)',
  (chunks) => {
    const large = thrownBy(() => read({ status: 404, headers: { 'retry-after': '7' }, chunks }))
    expect(large).toBeInstanceOf(LargePage)
    expect(large).toMatchObject({ message: 'a page of more than 64 KiB' })
    const response = { status: 404, text: '', isPage: true, exhaustedLimit: { retryAfter: 7 }, retried: false }
    expect(large).toHaveProperty('response', response)
  },
)

test('2,000 chunks are read, and one more is refused', () => {
  expect(read({ chunks: Array<string>(2000).fill('x') }).text).toHaveLength(2000)
  const { message } = expectRefusal({ chunks: Array<string>(2001).fill('x') }, 'provider_bad_response')
  expect(message).toMatch(/came in too many chunks\.$/)
})

test('eight informational responses may come before the response, and a ninth is refused', () => {
  const reader = new ResponseReader('profile', false)
  for (let count = 0; count < 8; count += 1) reader.informational()
  const error = thrownBy(() => reader.informational())
  expect(expectOutcome(error, 'provider_bad_response', 'profile').message).toMatch(/Too many responses .*\(1xx\)\.$/)
})

test('invalid UTF-8 is refused', () => {
  const { message } = expectRefusal({ chunks: [Buffer.from([0x22, 0xff, 0x22])] }, 'provider_bad_response')
  expect(message).toMatch(/not UTF-8\.$/)
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
  [599, 'provider_unavailable'],
] as const)('the status %d is %s before a body has come', (status, code) => {
  const start = () => readerOf({ phase: 'profile', status })
  if (code) expectOutcome(thrownBy(start), code, 'profile')
  else expect(start).not.toThrow()
})

test.each([undefined, '', 'identity', 'IDENTITY'])('the content-encoding %j is none', (encoding) => {
  expect(read({ headers: { 'content-encoding': encoding }, chunks: ['{}'] }).text).toBe('{}')
})

test.each(['gzip', 'identity, gzip', 'gzip, identity'])('the content-encoding %j is refused', (encoding) => {
  const { message } = expectRefusal({ headers: { 'content-encoding': encoding } }, 'provider_bad_response')
  expect(message).toMatch(/was compressed, although compression was not accepted\.$/)
})

describe.each([
  [429, 'provider_rate_limited'],
  [503, 'provider_unavailable'],
] as const)('a status %d at the exchange', (status, code) => {
  const headers = { ...html, 'retry-after': '17' }

  test.each([[[page]], [['', ' \n', page]], [['\ufeff', page]], [[`${' '.repeat(1023)}<`]], [[page.repeat(9000)]]])(
    'is that of a firewall as soon as its body begins like a page (%#)',
    (chunks) => {
      const error = thrownBy(() => readerOf({ status, headers, chunks }))
      const { message, retryAfter } = expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true })
      expect([message, retryAfter]).toEqual([expect.stringContaining('firewall'), 17])
    },
  )

  test.each([[[]], [[' ', '\n']], [['{"a":1}', page]], [[' ', 'busy']], [[' '.repeat(1024), page]]])(
    'says what it says with any other body (%#)',
    (chunks) => {
      expect(expectRefusal({ status, headers, chunks }, code).retryAfter).toBe(17)
    },
  )

  test('ends the response before its body unless that is HTML as it is', () => {
    const others = [
      { 'content-type': 'application/json' },
      { 'content-type': 'application/xhtml; text/html' },
      { 'content-type': 'text/htmlx' },
      { ...html, 'content-encoding': 'gzip' },
      {},
    ]
    const started = (phase: Phase, headers: IncomingHttpHeaders) => () => readerOf({ phase, status, headers })
    for (const other of others) expectOutcome(thrownBy(started('exchange', other)), code, 'exchange')
    expect(started('exchange', { 'content-type': 'TEXT/HTML' })).not.toThrow()
    expectOutcome(thrownBy(started('profile', html)), code, 'profile')
  })
})

test('a server error other than 503 is not that of a firewall', () => {
  expectRefusal({ status: 500, headers: html, chunks: [page] }, 'provider_unavailable')
})
