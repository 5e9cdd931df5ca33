import dns from 'node:dns'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHTTPSServer } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { makeCertificates } from '../support/certificates'
import { countConnections } from '../support/connections'
import { diagnose, page, sendJSON, useServers } from '../support/doctor'
import { runDoctorProcess, unwrapped } from '../support/doctor-command'
import { until } from '../support/turns'

// In a separate process: Node reads the real environment.

const certificates = makeCertificates()
const folder = mkdtempSync(join(tmpdir(), 'authority-'))
const trusting = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
beforeAll(() => writeFileSync(trusting.NODE_EXTRA_CA_CERTS, certificates.ca))
afterAll(() => rmSync(folder, { recursive: true }))

const SECRET = 'app-secret-canary-5c1e9a7f'
const KEY = 'auth-key-canary-77aa0b1c'
const { listening, proxyTo } = useServers()
afterEach(() => void jest.restoreAllMocks())

test('the doctor sends nothing to a server without a good certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  const received: string[] = []
  const server = createHTTPSServer(certificates.selfSigned, async (request, response) => {
    received.push(`${request.url} ${await text(request)}`)
    if (request.url?.includes('/oauth?')) response.end('<form>')
    else sendJSON(response, { error: true }, 401)
  })
  const baseURL = `https://localhost:${await listening(server)}/api/v1`
  const { code, stdout } = await runDoctorProcess([baseURL, '--app-id', 'mine', '--login'], {
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', SOCIAL_CLIENT_SECRET: SECRET },
    input: `http://app.example/cb?auth_key=${KEY}\n`,
  })
  expect([code, unwrapped(stdout)]).toStrictEqual([1, expect.stringContaining('The certificate is not trusted')])
  expect(received).toStrictEqual([])
})

test('a redirect from https to plain http is reported as one, and not followed', async () => {
  const location = 'http://localhost:1/api/v1/user/me'
  const server = createHTTPSServer(certificates.good, page(301, { location }))
  const { code, stdout } = await runDoctorProcess([`https://localhost:${await listening(server)}/api/v1`], {
    env: trusting,
  })
  expect([code, unwrapped(stdout)]).toStrictEqual([
    1,
    expect.stringContaining('The provider redirects from https to plain http'),
  ])
  expect(stdout).not.toContain(location)
})

test('a provider that is reached through a proxy alone is asked for nothing beside it, not even for its certificate', async () => {
  const server = createHTTPSServer(certificates.wrongHost, (_request, response) =>
    sendJSON(response, { error: true }, 401),
  )
  const proxy = await proxyTo(`https://localhost:${await listening(server)}`)
  // Its name does not resolve here.
  const { stdout, stderr } = await runDoctorProcess(['https://other.example/api/v1', '--timeout', '2'], {
    env: { ...trusting, https_proxy: proxy },
  })
  expect([unwrapped(stdout), stderr]).toStrictEqual([expect.stringMatching(/^good +Exchange: /m), ''])
})

test('a handshake that is never answered is given up in time, and its connection is closed', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  const connections = countConnections(server)
  const { isBroken, report } = await diagnose(`https://localhost:${await listening(server)}/api/v1`, { timeout: 300 })
  expect([isBroken, report]).toStrictEqual([true, expect.stringContaining('no complete response within 0.3 seconds')])
  await until(() => connections.open === 0)
  // One for the request, and one to look at the certificate.
  expect(connections.accepted).toBeGreaterThan(1)
})

test.each([
  [31, 'The certificate is not trusted'],
  [32, 'nothing listens'],
])('a certificate is looked for at thirty-two addresses of a name: behind %d others', async (others, sentence) => {
  const server = createHTTPSServer(certificates.selfSigned)
  const port = await listening(server, '127.0.0.1')
  const away = Array<string>(others).fill('127.0.0.99')
  // The first lookup is that of the request, which is refused for the certificate.
  const found = [['127.0.0.1'], [...away, '127.0.0.1']]
  jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
    const answer = args.at(-1)
    const addresses = (found.shift() ?? []).map((address) => ({ address, family: 4 }))
    if (typeof answer === 'function') setImmediate(() => answer(null, addresses))
  })
  const { report } = await diagnose(`https://localhost:${port}/api/v1`)
  expect([found, report]).toStrictEqual([[], expect.stringContaining(sentence)])
})
