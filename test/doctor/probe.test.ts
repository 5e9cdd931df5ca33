import dns from 'node:dns'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { errors } from 'undici/index.js'
import { NOT_ASKED, Probe, ProbeError, type ProbeRequest, type ProbeResponse, TOO_LARGE } from '../../lib/doctor/probe'
import { countConnections } from '../support/connections'
import { useServers } from '../support/doctor'
import { rejectionOf } from '../support/leak-check'

// What the doctor sends in one request, and what it keeps of the response.

const { listening, serve } = useServers()
afterEach(() => void jest.restoreAllMocks())

/** Sends to the path of a server, with a new probe. */
async function send(baseURL: string, more: Partial<ProbeRequest> = {}): Promise<ProbeResponse> {
  const url = new URL(baseURL)
  const probe = new Probe('agent of a test', 5000, url.origin)
  try {
    return await probe.send({ method: 'GET', url, ...more })
  } finally {
    await probe.close()
  }
}

describe('a request', () => {
  const seen = async (more: Partial<ProbeRequest>, headers: readonly string[]) => {
    const received: unknown[] = []
    const baseURL = await serve(async (request, response) => {
      const { method, url } = request
      const sent = headers.map((name) => `${name}: ${request.headers[name]}`)
      received.push({ method, url, sent, body: await text(request) })
      response.end()
    })
    await send(`${baseURL}/path?a=1&b=%20#top`, more)
    return received
  }
  const names = ['user-agent', 'accept', 'accept-encoding', 'content-type', 'authorization']
  const always = ['user-agent: agent of a test', 'accept: application/json', 'accept-encoding: identity']

  test('by GET has no body and no type of one', async () => {
    const sent = [...always, 'content-type: undefined', 'authorization: undefined']
    expect(await seen({}, names)).toStrictEqual([{ method: 'GET', url: '/api/v1/path?a=1&b=%20', sent, body: '' }])
  })

  test('by POST has its form, also an empty one', async () => {
    const type = 'content-type: application/x-www-form-urlencoded'
    const expected = {
      method: 'POST',
      url: '/api/v1/path?a=1&b=%20',
      sent: [...always, type, 'authorization: undefined'],
    }
    const form = { a: 'b c', d: '&' }
    expect(await seen({ method: 'POST', form }, names)).toStrictEqual([{ ...expected, body: 'a=b+c&d=%26' }])
    expect(await seen({ method: 'POST', form: {} }, names)).toStrictEqual([{ ...expected, body: '' }])
  })

  test('has further headers, or others than usual', async () => {
    const headers = { accept: 'text/html', authorization: 'Bearer abc' }
    const [sent] = await seen({ headers }, ['accept', 'authorization'])
    expect(sent).toMatchObject({ sent: ['accept: text/html', 'authorization: Bearer abc'] })
  })
})

describe('of a response', () => {
  test.each<[body: string | Buffer, kept: Pick<ProbeResponse, 'json' | 'hasWarnings'>]>([
    ['', { json: undefined, hasWarnings: false }],
    ['null', { json: undefined, hasWarnings: false }],
    ['"{}"', { json: undefined, hasWarnings: false }],
    ['7 {', { json: undefined, hasWarnings: false }],
    ['{"a":1}', { json: { a: 1 }, hasWarnings: false }],
    ['[1]', { json: [1], hasWarnings: false }],
    [' \r\n{"a":[2]}\n', { json: { a: [2] }, hasWarnings: false }],
    ['x{"a":1}', { json: { a: 1 }, hasWarnings: true }],
    ['<b>Warning</b>: in [file] {"a":1}', { json: { a: 1 }, hasWarnings: true }],
    [`${'[ '.repeat(19)}{"a":1}`, { json: { a: 1 }, hasWarnings: true }],
    [`${'[ '.repeat(20)}{"a":1}`, { json: undefined, hasWarnings: false }],
    ['{"a":9007199254740993}', { json: { a: '9007199254740993' }, hasWarnings: false }],
  ])('%j the JSON is read, and whether something precedes it', async (body, kept) => {
    const response = await send(await serve((_request, response) => void response.end(body)))
    expect({ ...response, headers: {}, duration: 0, read: response.read() }).toStrictEqual({
      status: 200,
      headers: {},
      text: body,
      ...kept,
      duration: 0,
      read: { status: 200, headers: response.headers, text: body, retried: false },
    })
  })

  test.each([
    ['gzip', gzipSync('{"a":1}'), '{"a":1}'],
    ['br', brotliCompressSync('{"a":1}'), '{"a":1}'],
    ['none', '{"a":1}', '{"a":1}'],
    ['zstd', '{"a":2}', '{"a":2}'],
  ])('the coding %s is undone, if the client knows it', async (coding, body, plain) => {
    const headers = { 'content-encoding': coding }
    const response = await send(await serve((_request, response) => void response.writeHead(200, headers).end(body)))
    expect([response.text, response.json]).toStrictEqual([plain, JSON.parse(plain)])
  })

  test('the status and the headers are kept, and the time that it took', async () => {
    const baseURL = await serve((_request, response) => void response.writeHead(418, { 'x-a': 'b' }).end('tea'))
    const startedAt = performance.now()
    const { status, headers, duration } = await send(baseURL)
    expect([status, headers['x-a'], duration > 0, duration <= performance.now() - startedAt]).toStrictEqual([
      418,
      'b',
      true,
      true,
    ])
  })

  test.each([
    [302, 'provider_redirected'],
    [308, 'provider_redirected'],
    [500, 'provider_unavailable'],
    [503, 'provider_unavailable'],
    [429, 'provider_rate_limited'],
  ])('with status %d all parts are kept, although a login ends there', async (status, code) => {
    const parts: RequestListener = (_request, response) => {
      response.writeHead(status).write('{"a":')
      setImmediate(() => response.end('1}'))
    }
    const { json, read } = await send(await serve(parts))
    expect(json).toEqual({ a: 1 })
    expect(read).toThrow(expect.objectContaining({ code }))
  })

  test('a redirect is reported as a login reports it', async () => {
    const headers = { location: '/elsewhere' }
    const { read } = await send(await serve((_request, response) => void response.writeHead(302, headers).end()))
    expect(read).toThrow('It leads to another path on the same host')
  })

  test('a word of a firewall is read where a login reads it', async () => {
    const word = '<p>Incapsula incident ID: 1</p>'
    const outcomes = [500, 503].map(async (status) => {
      const { read } = await send(await serve((_request, response) => void response.writeHead(status).end(word)))
      return rejectionOf((async () => read())())
    })
    expect(await Promise.all(outcomes)).toMatchObject([
      { code: 'provider_unavailable' },
      { code: 'provider_bad_response' },
    ])
  })

  const KIB_64 = 64 * 1024

  /** Sends the parts one by one, as chunks of HTTP. */
  const inParts = (status: number, sizes: readonly number[], isEnded = true): RequestListener => {
    return (_request, response) => {
      response.writeHead(status)
      for (const size of sizes) response.write('x'.repeat(size))
      if (isEnded) response.end()
    }
  }

  test('of 64 KiB all is read, and one byte more is too much for a login', async () => {
    const most = await send(await serve(inParts(200, [KIB_64 / 2, KIB_64 / 2])))
    expect([most.text.length, most.read().text.length]).toStrictEqual([KIB_64, KIB_64])
    const more = await send(await serve(inParts(200, [KIB_64 / 2, KIB_64 / 2, 1])))
    expect(more.text).toHaveLength(KIB_64)
    expect(more.read).toThrow('larger than 64 KiB')
  })

  test('that a login does not read, no more than 64 KiB is waited for', async () => {
    const { text } = await send(await serve(inParts(500, [KIB_64 / 2, KIB_64 / 2], false)))
    expect(text).toHaveLength(KIB_64)
  })
})

test('requests to one host share a connection, and leave no timer', async () => {
  const server = createServer((_request, response) => void response.end('{}'))
  const connections = countConnections(server)
  const url = new URL(`http://localhost:${await listening(server)}`)
  const probe = new Probe('test', 5000, url.origin)
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await probe.send({ method: 'GET', url })
  const before = timers()
  for (let requests = 0; requests < 5; requests += 1) await probe.send({ method: 'GET', url })
  expect([connections.accepted, timers()]).toStrictEqual([1, before])
  await probe.close()
})

test('a closed connection is replaced once, immediately', async () => {
  const seen: IncomingMessage[] = []
  const baseURL = await serve((request, response) => {
    // The first is answered, so that its connection is used again.
    if (seen.push(request) === 2) request.socket.destroy()
    else response.end('{}')
  })
  const probe = new Probe('test', 5000, new URL(baseURL).origin)
  const sent: ProbeRequest = { method: 'POST', url: new URL(baseURL), form: {} }
  const [first, second] = [await probe.send(sent), await probe.send(sent)]
  await probe.close()
  expect([first.read().retried, second.read().retried, second.json, seen.length]).toStrictEqual([false, true, {}, 3])
})

describe('where the provider has redirected', () => {
  const failure = async (probe: Probe, url: string) => {
    const error = await rejectionOf(probe.send({ method: 'GET', url: new URL(url) }))
    await probe.close()
    return error
  }
  const notAsked = (origin: string, why: string) =>
    new ProbeError(`It leads to ${origin}, ${why}, and no one typed it: nothing is requested there.`, NOT_ASKED)

  test.each([
    'http://localhost:1',
    'http://inside.localhost:1',
    'http://127.0.0.1:1',
    'http://[::1]:1',
    'http://10.0.0.7',
    'http://[fd00::1]',
    'http://169.254.169.254',
  ])('nothing is asked at %s, nor is its name looked up', async (origin) => {
    const lookups = (['lookup', 'resolve4', 'resolve6'] as const).map((name) => jest.spyOn(dns, name))
    const probe = new Probe('test', 5000, 'http://localhost')
    const error = await failure(probe, `${origin}/admin`)
    expect(error).toEqual(notAsked(origin, 'a private address'))
    expect(error).toHaveProperty('code', NOT_ASKED)
    for (const lookup of lookups) expect(lookup).not.toHaveBeenCalled()
  })

  test('another host is looked up, and asked unless it is inside of this network', async () => {
    const unknown = Object.assign(new Error('secret'), { code: 'ENOTFOUND' })
    for (const name of ['lookup', 'resolve4', 'resolve6'] as const)
      jest.spyOn(dns, name).mockImplementation((...args: unknown[]): void => {
        const tell = args.at(-1)
        if (typeof tell === 'function') tell(unknown)
      })
    const error = await failure(new Probe('test', 1500, 'http://localhost'), 'http://elsewhere.example/')
    expect(error).toEqual(new ProbeError('The host name could not be looked up (DNS).'))
  })

  test('nothing is asked at another host through a proxy, which might find it', async () => {
    const probe = new Probe('test', 5000, 'http://localhost', true)
    const why = 'another host, which a proxy might find inside your network'
    expect(await failure(probe, 'http://b.example/x')).toEqual(notAsked('http://b.example', why))
  })
})

describe('the proxy of the environment', () => {
  afterEach(() => void delete process.env['http_proxy'])

  test('is used only where that was found to be necessary', async () => {
    const baseURL = await serve((_request, response) => void response.end('{}'))
    process.env['http_proxy'] = 'foo'
    expect((await send(baseURL)).json).toEqual({})
    const proxied = new Probe('test', 5000, new URL(baseURL).origin, true)
    const error = await rejectionOf(proxied.send({ method: 'GET', url: new URL(baseURL) }))
    expect(error).toEqual(new ProbeError('The environment names a proxy by something that is no http(s) address.'))
  })
})

describe('the error of a request', () => {
  const withCode = (code: string): Error => Object.assign(new Error('secret'), { code })
  const found = new ProbeError('The connection failed.')

  const REFUSED = 'The connection was refused: nothing listens there, or a firewall rejects it.'
  const LARGE = 'The response is larger than this package reads.'
  const LARGE_HEADERS = 'The headers of the response are larger than this package reads.'

  test.each<{ message: string; error: unknown; code: string | undefined }>([
    { message: 'The connection failed.', error: found, code: undefined },
    { message: 'The connection failed.', error: new Error('secret'), code: undefined },
    { message: 'The connection failed.', error: withCode('EOTHER'), code: 'EOTHER' },
    { message: REFUSED, error: withCode('ECONNREFUSED'), code: 'ECONNREFUSED' },
    { message: LARGE_HEADERS, error: new errors.HeadersOverflowError('secret'), code: TOO_LARGE },
    { message: LARGE, error: new errors.ResponseExceededMaxSizeError('secret'), code: TOO_LARGE },
    { message: 'The response is not HTTP/1.1.', error: new errors.HTTPParserError('secret'), code: 'HTTP' },
    {
      message: 'The response is not HTTP/1.1.',
      error: new errors.ResponseContentLengthMismatchError('secret'),
      code: 'HTTP',
    },
  ])('has its own sentence: $message ($code)', ({ error, message, code }) => {
    const told = ProbeError.of(error, false, 1000)
    expect([told.message, told.code, told instanceof ProbeError]).toStrictEqual([message, code, true])
  })

  test.each([
    [1000, '1 second'],
    [1500, '1.5 seconds'],
    [120_000, '120 seconds'],
  ])('is that of a timeout of %d ms, if that has passed', (timeout, time) => {
    const told = ProbeError.of(withCode('ECONNREFUSED'), true, timeout)
    expect([told.message, told.code]).toStrictEqual([`There was no complete response within ${time}.`, 'ETIMEDOUT'])
    expect(ProbeError.of(found, true, timeout)).toBe(found)
  })

  test('is that of the timeout where nothing answers', async () => {
    const baseURL = await serve(() => {})
    const probe = new Probe('test', 50, new URL(baseURL).origin)
    const error = await rejectionOf(probe.send({ method: 'GET', url: new URL(baseURL) }))
    await probe.close()
    expect(error).toMatchObject({ message: 'There was no complete response within 0.05 seconds.', code: 'ETIMEDOUT' })
  })
})
