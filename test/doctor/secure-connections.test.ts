import { X509Certificate } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createServer as createHTTP2Server, createSecureServer } from 'node:http2'
import { createServer as createHTTPSServer } from 'node:https'
import { connect, createServer } from 'node:net'
import { createServer as createTLSServer, type TlsOptions } from 'node:tls'
import { FakeProvider } from '../../lib/testing'
import { makeCertificates, trustAuthority } from '../support/certificates'
import { diagnose, page, sendJSON, useServers } from '../support/doctor'

// What the doctor says of a provider's TLS.

const { listening, proxyTo } = useServers()
const certificates = makeCertificates()
const DAY_MS = 86_400_000
let trusting: jest.SpyInstance
beforeEach(() => {
  trusting = trustAuthority(certificates.ca)
})
afterEach(() => void jest.restoreAllMocks())

const provider = new FakeProvider({ origin: 'https://localhost' })
// The doctor asks under the name and the port of the test.
const asLocalhost: RequestListener = (request, response) => {
  request.headers.host = 'localhost'
  provider.requestListener(request, response)
}

const secure = async (options: TlsOptions, listener = asLocalhost): Promise<string> =>
  `https://localhost:${await listening(createHTTPSServer(options, listener))}/api/v1`

const findingsOf = (report: string): string[] => report.split('\nnew Strategy')[0]?.split('\n') ?? []

const endOf = ({ cert }: { cert: string }): number => Date.parse(new X509Certificate(cert).validTo)

test.each([
  [-14 * DAY_MS, 'good Certificate: Valid for 14 more days (TLS 1.3).'],
  [-14 * DAY_MS + 1, 'differs Certificate: Valid, but for 13 more days only: see that it is renewed.'],
  [-DAY_MS, 'differs Certificate: Valid, but for 1 more day only: see that it is renewed.'],
])('a certificate that is good, %d ms before its end', async (time, sentence) => {
  const baseURL = await secure(certificates.good)
  jest.spyOn(Date, 'now').mockReturnValue(endOf(certificates.good) + time)
  const { isBroken, report } = await diagnose(baseURL)
  expect([isBroken, findingsOf(report)[1]]).toStrictEqual([false, sentence])
})

const expired = (days: string): string =>
  `broken Certificate: The certificate expired ${days} ago: no login is possible until it is renewed.`

test.each([
  [1, expired('1 day')],
  [-2 * DAY_MS, expired('1 day')],
  [3 * DAY_MS, expired('3 days')],
  [3 * DAY_MS + 1, expired('4 days')],
])('a certificate that has expired, %d ms after its end', async (time, sentence) => {
  const baseURL = await secure(certificates.expired)
  jest.spyOn(Date, 'now').mockReturnValue(endOf(certificates.expired) + time)
  expect(await diagnose(baseURL)).toEqual({ isBroken: true, report: sentence })
})

test.each([
  ['wrongHost', 'is for another host name: use the name that it is for (with or without www?).'],
  [
    'selfSigned',
    'is not trusted: it is self-signed, or a private CA issued it. For a CA of your own set NODE_EXTRA_CA_CERTS.',
  ],
  [
    'unknownCA',
    'is not trusted: its chain is incomplete (the provider must send the intermediate certificates, which browsers find by themselves), or a private CA issued it (set NODE_EXTRA_CA_CERTS).',
  ],
] as const)('a certificate that is %s', async (name, sentence) => {
  const report = `broken Certificate: The certificate ${sentence}`
  expect(await diagnose(await secure(certificates[name]))).toEqual({ isBroken: true, report })
})

test('HTTP/2 only', async () => {
  const server = createHTTP2Server()
  const tls = createTLSServer({ ...certificates.good, ALPNProtocols: ['h2'] }, (socket) =>
    server.emit('connection', socket),
  )
  tls.on('tlsClientError', () => {})
  const { isBroken, report } = await diagnose(`https://localhost:${await listening(tls)}/api/v1`)
  expect([isBroken, findingsOf(report)]).toStrictEqual([
    true,
    [
      expect.stringMatching(/^differs Certificate: Valid, but for 1 more day only/),
      'broken HTTP: The provider speaks HTTP/2 alone, and this package HTTP/1.1: no login is possible until it offers HTTP/1.1, too.',
    ],
  ])
})

test('HTTP/2 and HTTP/1.1, of which the server prefers the former', async () => {
  const server = createSecureServer({ ...certificates.good, allowHTTP1: true }, (request, response) =>
    Reflect.apply(asLocalhost, undefined, [request, response]),
  )
  const { isBroken, report } = await diagnose(`https://localhost:${await listening(server)}/api/v1`)
  expect([isBroken, report.includes('HTTP/2')]).toStrictEqual([false, false])
})

test('a server that sends something wrong right after the handshake', async () => {
  const { port } = new URL(await secure(certificates.good))
  const relay = createServer((client) => {
    const server = connect(Number(port))
    for (const socket of [client, server]) socket.on('error', () => {})
    client.pipe(server)
    server.on('data', (data) => client.write(Buffer.concat([data, Buffer.from('no record of TLS')])))
  })
  const { isBroken, report } = await diagnose(`https://localhost:${await listening(relay)}/api/v1`, { timeout: 600 })
  expect([isBroken, findingsOf(report)]).toStrictEqual([
    true,
    [
      expect.stringMatching(/^differs Certificate: Valid, but for 1 more day only/),
      expect.stringMatching(/^broken Network: /),
    ],
  ])
})

test('a redirect from https to https is followed, and one to plain http is not', async () => {
  const answer =
    (location: (path: string) => string): RequestListener =>
    ({ url = '' }, response) => {
      if (url.startsWith('/api')) response.writeHead(301, { location: location(url) }).end()
      else sendJSON(response, { error: true }, 401)
    }
  const secured = await secure(
    certificates.good,
    answer((path) => `/new${path}`),
  )
  const { report } = await diagnose(secured)
  const final = secured.replace('/api', '/new/api')
  expect(report).toContain(
    `differs Address: The provider redirects to ${final}. A redirect with a key or a token is never followed, so baseURL must be the final address.\n`,
  )
  const plain = await secure(
    certificates.good,
    answer((path) => `http://localhost:1/new${path}`),
  )
  expect(await diagnose(plain)).toEqual({
    isBroken: true,
    report:
      'broken Address: The provider redirects from https to plain http, where anyone on the way can read the secret.',
  })
})

test('a server gets the name that is meant, but no address, and is asked at the port of https by default', async () => {
  const names: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    names.push(name)
    done(null)
  }
  const baseURL = await secure({ ...certificates.good, SNICallback })
  await diagnose(baseURL)
  // For the requests, and to look at the certificate.
  expect(names).toStrictEqual(['localhost', 'localhost'])
  await diagnose(baseURL.replace('localhost', '127.0.0.1'))
  expect(names).toHaveLength(2)
  trusting.mockClear()
  await diagnose('https://localhost/api/v1', { timeout: 300 })
  expect(trusting.mock.calls.at(-1)?.[0]).toMatchObject({ host: 'localhost', port: 443, servername: 'localhost' })
})

test('behind a proxy, a connection that fails is explained through it', async () => {
  const baseURL = await secure(certificates.selfSigned, page(404))
  process.env['https_proxy'] = await proxyTo(baseURL)
  const { report } = await diagnose('https://nowhere.invalid/api/v1', { hasProxy: true })
  delete process.env['https_proxy']
  expect(report.split('\n')).toStrictEqual([
    'differs Proxy: A direct request failed, so all requests go through the proxy of the environment. If they succeed, give a dispatcher.',
    'broken Certificate: The certificate is not trusted: it is self-signed, or a private CA issued it. For a CA of your own set NODE_EXTRA_CA_CERTS.',
  ])
})

test('behind a proxy, the certificate is looked at through it', async () => {
  process.env['https_proxy'] = await proxyTo(await secure(certificates.wrongHost))
  const { report } = await diagnose('https://other.example/api/v1', { hasProxy: true })
  delete process.env['https_proxy']
  expect(findingsOf(report).slice(0, 3)).toStrictEqual([
    expect.stringMatching(/^differs Proxy: /),
    expect.stringMatching(/^good Address: https:..other.example/),
    'differs Certificate: Valid, but for 1 more day only: see that it is renewed.',
  ])
})
