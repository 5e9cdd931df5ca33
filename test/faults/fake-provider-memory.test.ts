import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeProvider } from '../../lib/testing'
import { sendMany } from '../support/raw-requests'

const CLI = join(__dirname, '../../lib/cli.js')
/** A provider that keeps every request. */
const NAIVE = `const log = []
const server = require('node:http').createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  log.push(Buffer.concat(chunks).toString())
  response.statusCode = 400
  response.end()
}).listen(0, '127.0.0.1', () => console.log('Fake provider: http://127.0.0.1:' + server.address().port + '\\nNo application'))`

const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function start(...args: string[]): Promise<{ origin: string; megabytes: () => number }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (text.includes('No application')) break
  }
  const megabytes = (): number => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  }
  return { origin: /Fake provider: (\S+)/.exec(text)?.[1] ?? '', megabytes }
}

/** A form, which any website can send from its visitor's browser. */
function post(path: string, headers: string, length: number): string {
  const body = `a=${'x'.repeat(length - 2)}`
  const type = 'Content-Type: application/x-www-form-urlencoded'
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const OTHER_SITE = 'Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n'

// Memory is read from /proc, so Linux only.
const testOnLinux = process.platform === 'linux' ? test : test.skip

testOnLinux(
  'a provider that keeps every request grows by more than 400 MB with 8,000 forms of 64 KiB',
  async () => {
    const { origin, megabytes } = await start('-e', NAIVE)
    const before = megabytes()
    await sendMany(origin, post('/api/authorize', '', 65_536), 8000)
    expect(megabytes() - before).toBeGreaterThan(400)
  },
  60_000,
)

testOnLinux.each([
  ['of 64 KiB, of another site', '/api/authorize', OTHER_SITE, 65_536],
  ['of 64 KiB, of another site, to the login', '/sign-in', OTHER_SITE, 65_536],
  ['of 64 KiB, without any sign of a browser', '/api/authorize', '', 65_536],
  ['of 8 KiB, the longest that it reads, without any sign of a browser', '/api/authorize', '', 8192],
])(
  'the command grows by less than 200 MB with 8,000 forms %s',
  async (_name, path, headers, length) => {
    const { origin, megabytes } = await start(CLI, 'provider', '--port', '0')
    const before = megabytes()
    await sendMany(origin, post(path, headers, length), 8000)
    expect(megabytes() - before).toBeLessThan(200)
  },
  60_000,
)

function form(path: string, body: string): string {
  const type = 'Content-Type: application/x-www-form-urlencoded'
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

test('the log keeps the 10,000 requests of 5,000 logins, and at most the newest 20,000', async () => {
  await using provider = await FakeProvider.start()
  const get = (query: string): string => `GET /api/v1/user/me?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  await sendMany(provider.origin, get('first'), 1)
  await sendMany(provider.origin, form('/api/authorize', `app_id=x&app_secret=${'y'.repeat(43)}&auth_key=z`), 10_000)
  expect(provider.requests).toHaveLength(10_001)
  await sendMany(provider.origin, get('last'), 11_000)
  const { requests } = provider
  expect([requests.length, requests[0]?.endpoint]).toStrictEqual([20_000, 'authorize'])
  expect(requests.at(-1)).toMatchObject({ path: '/api/v1/user/me?last', status: 401 })
})
