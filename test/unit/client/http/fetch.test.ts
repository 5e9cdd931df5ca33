import type { RequestListener } from 'node:http'
import { Deadline } from '../../../../lib/client/deadline'
import { Endpoints } from '../../../../lib/client/endpoints'
import { fetchNetwork } from '../../../../lib/client/http/fetch'
import { parseClientOptions, USER_AGENT } from '../../../../lib/client/options'
import { rejectionOf } from '../../../support/leak-check'
import { listen } from '../../../support/listen'
import { until } from '../../../support/turns'

// Requests by `fetch`, for runtimes without connections of Node, and what a server sees of them. Logins: test/login/edge.test.ts.

afterEach(() => jest.restoreAllMocks())

const transport = fetchNetwork
  .openTransports({ timeout: 5000, allowPrivateAddresses: true, maxPools: 1 })
  .transportTo('https://social.example')

/** One exchange. @returns its error, and what the server has seen of it */
async function exchange(listener: RequestListener, milliseconds = 5000) {
  const seen = { requests: 0, cache: '' }
  let closed = 0
  await using server = await listen((request, response) => {
    seen.requests += 1
    seen.cache = String(request.headers['cache-control'])
    // Not all connections of the server: undici opens one for the next request, and closes that by a timer.
    request.socket.once('close', () => {
      closed += 1
    })
    listener(request, response)
  })
  const settings = parseClientOptions({ baseURL: `${server.origin}/api/v1`, clientID: 'id', clientSecret: 'secret' })
  const endpoints = new Endpoints(settings, transport)
  const deadline = new Deadline(milliseconds)
  const error = await rejectionOf(endpoints.exchange('key', { deadline }))
  deadline.clear()
  if (seen.requests > 0 && 'isClosedAfter' in listener) await until(() => closed === seen.requests)
  return { error, seen }
}

const closing = (listener: RequestListener): RequestListener => Object.assign(listener, { isClosedAfter: true })

test('no cache may answer', async () => {
  const { seen } = await exchange((_request, response) => void response.writeHead(401).end('{"error":true}'))
  expect(seen).toEqual({ requests: 1, cache: 'no-cache' })
})

test.each<[string, RequestListener]>([
  ['never answers', () => {}],
  ['never ends its response', (_request, response) => response.writeHead(200).flushHeaders()],
])('a server that %s loses its connection at the deadline', async (_title, listener) => {
  expect((await exchange(closing(listener), 150)).error).toMatchObject({ code: 'provider_timeout' })
})

test.each([
  [500, 'provider_unavailable'],
  [302, 'provider_redirected'],
])('the body of a response with status %d says nothing, and is not waited for', async (status, code) => {
  const endless = closing((_request, response) => response.writeHead(status, { location: '/' }).write('x'))
  expect((await exchange(endless)).error).toMatchObject({ code })
})

test('where the body of a response ignores the signal, as in other runtimes, the deadline still ends it', async () => {
  const body = new ReadableStream({ pull: () => new Promise(() => {}) })
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(body))
  expect((await exchange(() => {}, 100)).error).toMatchObject({ code: 'provider_timeout' })
})

/** One exchange that is answered by this response, as of any platform. @returns what it resolves to, or its error */
async function answeredBy(response: Response): Promise<unknown> {
  const request = jest.spyOn(globalThis, 'fetch').mockResolvedValue(response)
  const settings = parseClientOptions({ baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 's' })
  const endpoints = new Endpoints(settings, transport)
  const deadline = new Deadline(5000)
  const outcome = await endpoints.exchange('key', { deadline }).catch((error: unknown) => error)
  deadline.clear()
  const headers = {
    'user-agent': USER_AGENT,
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = 'app_id=id&app_secret=s&auth_key=key'
  const options = { method: 'POST', headers, body, redirect: 'manual', cache: 'no-store', signal: expect.anything() }
  expect(request.mock.calls).toStrictEqual([['https://social.example/api/authorize', options]])
  return outcome
}

const withCoding = (coding: string, body: string): Response =>
  new Response(body, { headers: { 'content-encoding': coding } })
// What begins like neither JSON nor a page looks compressed where a header says so.
const NO_JSON = 'no JSON'

test.each(['gzip', 'br', 'identity', 'none'])(
  'JSON in the coding %s is what the platform has made of it',
  async (coding) => {
    expect(await answeredBy(withCoding(coding, '{"access_token":"token"}'))).toEqual({ access_token: 'token' })
  },
)

test.each(['gzip', 'br', 'identity', 'none'])('a text in the coding %s is told as no JSON', async (coding) => {
  const message = expect.stringContaining('must be answered with a JSON object')
  expect(await answeredBy(withCoding(coding, NO_JSON))).toMatchObject({ code: 'provider_bad_response', message })
})

test.each(['x-gzip', 'deflate', 'zstd', 'gzip, br', 'br, gzip', 'zstd, br'])(
  'a body in the coding %s, which platforms leave as it is, is read as on Node',
  async (coding) => {
    const message = expect.stringContaining('compressed in a way that is not read')
    expect(await answeredBy(withCoding(coding, NO_JSON))).toMatchObject({ code: 'provider_bad_response', message })
  },
)

test.each([
  ['whose coding the platform could not read', { 'content-encoding': 'gzip' }, 'provider_bad_response'],
  ['without a coding, whose connection broke', {}, 'provider_unreachable'],
])('a body %s', async (_title, headers, code) => {
  const body = new ReadableStream({ pull: () => Promise.reject(new TypeError('terminated')) })
  const outcome = await answeredBy(new Response(body, { headers: { ...headers } }))
  expect(outcome).toMatchObject({ code })
  expect(String(outcome).includes('compressed in a way that is not read')).toBe(code === 'provider_bad_response')
})

test.each([
  [204, 'provider_bad_response'],
  [500, 'provider_unavailable'],
])('a response with status %d may have no body', async (status, code) => {
  expect(await answeredBy(new Response(null, { status }))).toMatchObject({ code })
})

test('where the rest of a response cannot be refused, its connection has broken, and nobody else hears of it', async () => {
  const body = new ReadableStream({ cancel: () => Promise.reject(new Error('away')) })
  expect(await answeredBy(new Response(body, { status: 500 }))).toMatchObject({ code: 'provider_unreachable' })
})
