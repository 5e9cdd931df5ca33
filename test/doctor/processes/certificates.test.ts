import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHTTP2Server } from 'node:http2'
import { createServer as createHTTPSServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTLSServer, type TlsOptions } from 'node:tls'
import { FakeProvider } from '../../../lib/testing'
import { type Certificates, makeCertificates } from '../../support/certificates'
import { useServers } from '../../support/doctor'
import { runDoctorProcess as runDoctor, unwrapped } from '../../support/doctor-command'

// What the doctor says of a provider's TLS. In a process of its own, which trusts the authority of the tests.

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
const authority = join(folder, 'ca.pem')
const { listening } = useServers()
let certificates: Certificates

beforeAll(() => {
  certificates = makeCertificates()
  writeFileSync(authority, certificates.ca)
})
afterAll(() => rmSync(folder, { recursive: true }))

async function diagnose(baseURL: string) {
  const { code, stdout } = await runDoctor([baseURL], { env: { NODE_EXTRA_CA_CERTS: authority } })
  return { code, report: unwrapped(stdout) }
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

test('a certificate that is good and expires soon, and what is behind it', async () => {
  const { report } = await diagnose(await secure(certificates.good))
  expect(report).toMatch(/differs {2}Certificate: Valid, but for (1 more day|2 more days) only/)
  expect(report).toContain('good     Exchange: It refuses invented values as JSON')
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
