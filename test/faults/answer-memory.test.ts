import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answer, RawProvider, repeat, type Wire } from '../support/raw-provider'
import type { MemoryReport } from './answer-memory-program'

const OKAY = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OKAY}transfer-encoding: chunked\r\n\r\n`
const MANY_HEADERS = 'X:\r\n'.repeat(5500)
const PAUSE_MS = 200
const FILLING = 64 * 1024
const MB = 1_000_000
const PROGRAM = join(__dirname, 'answer-memory-program.js')

/** Responses with little payload; `hurts`: exhausts the memory of a client that only counts payload. */
const hostile: [title: string, wire: Wire, hurts: boolean][] = [
  ['chunks of one byte, each with an extension of 64 KiB', repeat(CHUNKED, `1;${'x'.repeat(FILLING)}\r\na\r\n`), true],
  ['headers that each stand behind 64 KiB of spaces', repeat(OKAY, `a:${' '.repeat(FILLING)}b\r\n`), true],
  [
    'trailers that each stand behind 64 KiB of spaces',
    repeat(`${CHUNKED}0\r\n`, `a:${' '.repeat(FILLING)}b\r\n`),
    true,
  ],
  ['headers of one letter without a value', repeat(OKAY, 'X:\r\n'.repeat(500)), false],
  ['trailers of one letter without a value', repeat(`${CHUNKED}0\r\n`, 'X:\r\n'.repeat(500)), false],
  [
    'as many headers and as large a body as are allowed, and as many trailers, which end after a while',
    (socket) => {
      const body = `fa00\r\n${'x'.repeat(64_000)}\r\n0\r\n`
      socket.write(`${OKAY}${MANY_HEADERS}transfer-encoding: chunked\r\n\r\n${body}${MANY_HEADERS}`)
      setTimeout(() => socket.write(MANY_HEADERS), PAUSE_MS)
    },
    false,
  ],
  ['chunks of one byte', repeat(CHUNKED, '1\r\na\r\n'.repeat(5000)), false],
  ['a chunk extension without end', repeat(`${CHUNKED}1;`, 'x'.repeat(FILLING)), false],
  ['early hints without end', repeat('', `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(15_000)}\r\n\r\n`), false],
  ['empty lines without end before the status line', repeat('', '\r\n'.repeat(FILLING / 2)), false],
]

let provider: RawProvider

beforeAll(async () => {
  provider = await RawProvider.start()
})
afterEach(() => provider.clear())
afterAll(() => provider.stop())

/** So many exchanges at once in a separate process, so that its memory can be measured. */
async function exchangeOf(kind: 'naive' | 'ours', wire: Wire, count = 1, timeout = 20_000): Promise<MemoryReport> {
  // The first exchange succeeds, so that modules and caches loaded for it do not count.
  provider.failNext('authorize', (socket, body) => socket.end(`${OKAY}content-length: ${body.length}\r\n\r\n${body}`))
  provider.failNext('authorize', wire, count)
  const args = ['--expose-gc', PROGRAM, kind, provider.baseURL, String(count)]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, TIMEOUT_MS: String(timeout) },
  })
  return JSON.parse(stdout)
}

test.each(hostile.filter(([, , hurts]) => hurts))(
  'a response of %s costs a client that counts only payload many times as much memory',
  async (_title, wire) => {
    expect((await exchangeOf('naive', wire)).held).toBeGreaterThan(8 * MB)
  },
)

test('a text of 64 KiB takes little more memory than its length', async () => {
  const body = JSON.stringify({ access_token: 'token', text: 'x'.repeat(65_000) })
  const { held, outcome } = await exchangeOf('ours', (socket) => socket.write(answer(body)))
  expect(held).toBeLessThan(1_000_000)
  expect(outcome).toBe('success')
})

test.each(hostile)('an answer of %s takes at most 16 MB from a login', async (_title, wire) => {
  const { held, outcome } = await exchangeOf('ours', wire)
  expect(held).toBeLessThan(16 * MB)
  expect(outcome).toBe('provider_bad_response')
})

// Garbage included: it is collected only when the heap grows. Those of one letter take 25 seconds of CPU: by hand.
test.each(hostile.filter(([, , hurts]) => hurts))(
  '128 answers at once of %s leave the process below 512 MB',
  async (_title, wire) => {
    const { held, outcome } = await exchangeOf('ours', wire, 128)
    expect(held).toBeLessThan(512 * MB)
    expect(outcome).toBe('provider_bad_response')
  },
  30_000,
)

test('128 bodies at once of 64 KiB in chunks of one byte, which do not end, leave the process below 512 MB', async () => {
  const wire: Wire = (socket) => socket.write(CHUNKED + '1\r\nx\r\n'.repeat(FILLING - 1))
  const { held, outcome } = await exchangeOf('ours', wire, 128, 8000)
  expect(held).toBeLessThan(512 * MB)
  expect(outcome).toBe('provider_timeout')
}, 60_000)
