import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { Agent } from 'undici'
import { SocialLoginClient } from '../../../../lib'
import { type Certificates, makeCertificates } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { RAW_TOKEN, RawProvider, type Wire } from '../../../support/raw-provider'

let certificates: Certificates
let provider: RawProvider

beforeAll(async () => {
  certificates = makeCertificates()
  provider = await RawProvider.start(certificates.good)
})
afterEach(() => {
  jest.restoreAllMocks()
  provider.clear()
})
afterAll(() => provider.stop())

const BODY = JSON.stringify({ access_token: RAW_TOKEN })
const RESPONSE = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`

/** Ours reads the authorities of the system. */
function trustTheCertificates(): jest.SpyInstance {
  const { connect } = tls
  return jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca: certificates.ca }, ...rest])
  })
}

/** A valid response with one header in one-byte records: 22 bytes of TLS per byte of HTTP. */
const inTinyRecords: Wire = (socket, body) => {
  socket.write('HTTP/1.1 200 OK\r\nx-a: ')
  const rest = () => socket.write(`\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  // Sequentially: pending writes would be merged into one record.
  const more = (count: number): void => {
    if (socket.destroyed) return
    if (count === 0) setTimeout(() => !socket.destroyed && rest(), 600)
    else socket.write('b', () => more(count - 1))
  }
  // After the client has seen the beginning of the response.
  setTimeout(() => more(12_000), 100)
}

test('a response that is mostly TLS overhead is accepted by a naive client', async () => {
  provider.failNext('authorize', inTinyRecords)
  const agent = new Agent({ connect: { ca: certificates.ca } })
  const origin = new URL(provider.baseURL).origin
  const { body } = await agent.request({ origin, path: '/api/authorize', method: 'POST', body: '' })
  expect(await body.json()).toEqual({ access_token: RAW_TOKEN })
  await agent.destroy()
})

test('ours closes the connection, and the next exchange succeeds', async () => {
  trustTheCertificates()
  provider.failNext('authorize', inTinyRecords)
  const client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'a', clientSecret: 'b' })
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_bad_response' })
  expect(await client.exchangeAuthKey('key')).toEqual({ access_token: RAW_TOKEN })
  await client.close()
})

describe('a server that sends a hundred session tickets', () => {
  let folder: string
  let server: ChildProcessWithoutNullStreams
  let baseURL: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tickets-'))
    writeFileSync(join(folder, 'key'), certificates.good.key)
    writeFileSync(join(folder, 'cert'), certificates.good.cert)
    // Node's own server cannot send more than two.
    server = spawn('openssl', [
      ...['s_server', '-accept', '127.0.0.1:0', '-num_tickets', '100'],
      ...['-key', join(folder, 'key'), '-cert', join(folder, 'cert')],
    ])
    // It ends when it writes to a connection that ours has closed.
    server.stdin.on('error', () => {})
    baseURL = await new Promise((resolve) => {
      server.stdout.setEncoding('latin1').on('data', (text: string) => {
        const [, port] = /^ACCEPT \S+:(\d+)/m.exec(text) ?? []
        if (port !== undefined) resolve(`https://localhost:${port}/api/v1`)
        // What it reads, it sends to whoever is connected.
        if (text.includes('POST /')) server.stdin.write(RESPONSE)
      })
    })
  })
  afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true })
  })

  test('is accepted by a naive client', async () => {
    const agent = new Agent({ connect: { ca: certificates.ca } })
    const { origin } = new URL(baseURL)
    const { body } = await agent.request({ origin, path: '/api/authorize', method: 'POST', body: '' })
    expect(await body.json()).toEqual({ access_token: RAW_TOKEN })
    await agent.destroy()
  })

  test('is left by ours: each ticket costs CPU', async () => {
    const opened = trustTheCertificates()
    const client = new SocialLoginClient({ baseURL, clientID: 'a', clientSecret: 'b' })
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_bad_response' })
    expect(opened).toHaveBeenCalledTimes(1)
    await client.close()
  })
})
