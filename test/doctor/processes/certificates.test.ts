import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHTTP2Server } from 'node:http2'
import { createServer as createHTTPSServer } from 'node:https'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTLSServer, type TlsOptions } from 'node:tls'
import { FakeProvider } from '../../../lib/testing'
import { type Certificates, makeCertificates } from '../../support/certificates'
import { runDoctorProcess as runDoctor, unwrapped } from '../../support/doctor-command'
import { port } from '../../support/listen'

// What the doctor says of a provider's TLS. In a process of its own, which trusts the authority of the tests.

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const authority = join(folder, 'ca.pem')
const servers: Server[] = []
const sockets = new Set<Socket>()
let certificates: Certificates

beforeAll(() => {
  certificates = makeCertificates()
  writeFileSync(authority, certificates.ca)
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function diagnose(baseURL: string) {
  const { code, stdout } = await runDoctor([baseURL], { env: { NODE_EXTRA_CA_CERTS: authority } })
  return { code, report: unwrapped(stdout) }
}

/** Listens on a free port of localhost. @returns the port */
function listening(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})))
  servers.push(server)
  return new Promise((resolve) => server.listen(0, 'localhost', () => resolve(port(server))))
}

// No provider of ours: the fake provider refuses its host name, as JSON.
const provider = new FakeProvider({ origin: 'https://localhost' })

const secure = async (options: TlsOptions): Promise<string> => {
  const server = createHTTPSServer(options, provider.requestListener)
  return `https://localhost:${await listening(server)}/api/v1`
}

test.each([
  ['expired', /The certificate expired \d+ days ago: no login is possible until it is renewed\./],
  ['wrongHost', /The certificate is for another host name/],
  ['selfSigned', /The certificate is not trusted: it is self-signed/],
  ['unknownCA', /The certificate is not trusted: its chain is incomplete/],
] as const)('a certificate that is %s', async (name, sentence) => {
  const { code, report } = await diagnose(await secure(certificates[name]))
  expect([code, report]).toEqual([1, expect.stringMatching(sentence)])
})

test('a certificate that expires soon', async () => {
  const { report } = await diagnose(await secure(certificates.good))
  expect(report).toMatch(/differs {2}Certificate: Valid, but for (1 more day|2 more days) only/)
})

test('HTTP/2 only', async () => {
  const server = createHTTP2Server()
  const tls = createTLSServer({ ...certificates.good, ALPNProtocols: ['h2'] }, (socket) =>
    server.emit('connection', socket),
  )
  tls.on('tlsClientError', () => {})
  const { code, report } = await diagnose(`https://localhost:${await listening(tls)}/api/v1`)
  expect([code, report]).toEqual([1, expect.stringContaining('broken   HTTP: The provider speaks HTTP/2 alone')])
})

test('a certificate that is good, and what is behind it', async () => {
  const { report } = await diagnose(await secure(certificates.good))
  expect(report).toMatch(/Certificate: Valid, but/)
  expect(report).toContain('good     Exchange: It refuses invented values as JSON')
})
