import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { SocialLoginClient } from '../../lib'
import { makeCertificates, trustAuthority } from '../support/certificates'
import { setEnvironment } from '../support/tunnel-proxy'
import { until } from '../support/turns'

// By TLS 1.3 either side may ask for new keys at any time, without end: each message has 27 bytes, costs the other side a derivation
// and an answer, and is no data of which a reader would be told. One start gives a server of ill will a spare connection.

const certificates = makeCertificates()
let folder: string
let server: ChildProcessWithoutNullStreams
let port: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'key-updates-'))
  writeFileSync(join(folder, 'key'), certificates.good.key)
  writeFileSync(join(folder, 'cert'), certificates.good.cert)
})
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(async () => {
  const files = ['-key', join(folder, 'key'), '-cert', join(folder, 'cert')]
  server = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-tls1_3', '-num_tickets', '0', ...files])
  server.stdin.on('error', () => {})
  server.stderr.resume()
  let printed = ''
  server.stdout.setEncoding('latin1').on('data', (text: string) => {
    printed += text
  })
  await until(() => /^ACCEPT \S+:\d+/m.test(printed))
  port = Number(/^ACCEPT \S+:(\d+)/m.exec(printed)?.[1])
})
afterEach(async () => {
  jest.restoreAllMocks()
  server.kill()
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
})

/** Has the server renew its keys so often, or until the connection is closed. @returns how often it did */
async function updateKeys(socket: TLSSocket, times: number): Promise<number> {
  let updates = 0
  socket.on('keylog', () => {
    updates += 1
  })
  for (let sent = 1; sent <= times && !socket.destroyed; sent += 1) {
    server.stdin.write('K\n')
    await until(() => updates >= sent || socket.destroyed)
  }
  return updates
}

test('a naive connection renews its keys as often as the server asks', async () => {
  const socket = connect({ host: 'localhost', port, ca: certificates.ca })
  await once(socket, 'secureConnect')
  expect(await updateKeys(socket, 40)).toBeGreaterThanOrEqual(40)
  expect(socket.destroyed).toBe(false)
  socket.destroy()
})

test.each([8, 20])('a spare connection of ours is closed behind the sixteenth message of TLS: %d', async (times) => {
  const opened = trustAuthority(certificates.ca)
  const client = new SocialLoginClient({
    baseURL: `https://localhost:${port}/api/v1`,
    clientID: 'id',
    clientSecret: 'secret',
  })
  client.preconnect()
  const socket: TLSSocket = opened.mock.results[0]?.value
  await once(socket, 'secureConnect')
  await updateKeys(socket, times)
  expect(socket.destroyed).toBe(times > 16)
  await client.close()
})

test.each([8, 20])('so is one to a proxy, whose messages of TLS come before the tunnel: %d', async (times) => {
  const opened = trustAuthority(certificates.ca)
  const restore = setEnvironment({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: `https://localhost:${port}` })
  const client = new SocialLoginClient({
    baseURL: 'https://provider.example/api/v1',
    clientID: 'id',
    clientSecret: 'secret',
  })
  restore()
  client.preconnect()
  await until(() => opened.mock.results.length > 0)
  const socket: TLSSocket = opened.mock.results[0]?.value
  await once(socket, 'secureConnect')
  await updateKeys(socket, times)
  expect(socket.destroyed).toBe(times > 16)
  socket.destroy()
  await client.close()
})
