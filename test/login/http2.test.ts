import { once } from 'node:events'
import { connect, createServer } from 'node:http2'
import { classifyRequest, hostOnlyPolicy, verdictOf } from '../support/incoming'
import { port } from '../support/listen'

/** How a request over HTTP/2, which has `:authority` instead of `Host`, is read if only that tells the own origin. */
async function readOverHTTP2(path: string, headers: (origin: string) => Record<string, string>): Promise<string> {
  const server = createServer((req, res) => res.end(verdictOf(classifyRequest(req, hostOnlyPolicy)))).listen(
    0,
    'localhost',
  )
  await once(server, 'listening')
  const origin = `http://localhost:${port(server)}`
  const session = connect(origin)
  const answer = session.request({ ':path': path, ...headers(origin) }).setEncoding('utf8')
  const [verdict] = await once(answer, 'data')
  session.close()
  server.close()
  await once(server, 'close')
  return String(verdict)
}

const silentApproval = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

test('a callback after a silent approval is accepted over HTTP/2', async () => {
  const headers = (origin: string) => ({ ...silentApproval, referer: `${origin}/` })
  expect(await readOverHTTP2('/auth/callback?auth_key=K', headers)).toBe('callback K')
})

test('a start by a link of the application is verified over HTTP/2, one by a foreign link is not', async () => {
  expect(await readOverHTTP2('/login', (origin) => ({ referer: `${origin}/` }))).toBe('start verified')
  expect(await readOverHTTP2('/login', () => ({ referer: 'https://evil.example/' }))).toBe('start unverified')
})
