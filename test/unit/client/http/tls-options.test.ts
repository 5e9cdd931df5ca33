import { execFile } from 'node:child_process'
import { constants } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { join } from 'node:path'
import tls, { type SecureVersion, type TLSSocket, type TlsOptions } from 'node:tls'
import { promisify } from 'node:util'
import { SocialLoginClient } from '../../../../lib'
import { makeCertificates, makeRSACertificate } from '../../../support/certificates'
import { startHelloRequests } from '../../../support/hello-requests'
import { rejectionOf } from '../../../support/leak-check'
import { port } from '../../../support/listen'

const PROGRAM = join(__dirname, 'tls-options-program.js')

let server: Server

async function serve(options: TlsOptions): Promise<void> {
  server = tls.createServer(options).listen(0, 'localhost')
  await once(server, 'listening')
}

function newClient(timeout?: number): SocialLoginClient {
  const baseURL = `https://localhost:${port(server)}/api/v1`
  return new SocialLoginClient({ clientID: 'id', clientSecret: 'secret', baseURL, timeout })
}

/** A connection with the options of Node. */
async function connect(ca: string, maxVersion: SecureVersion): Promise<TLSSocket> {
  const socket = tls.connect({ port: port(server), host: 'localhost', ca, maxVersion })
  await Promise.all([once(socket, 'secureConnect'), once(server, 'secureConnection')])
  return socket
}

/** Ours reads the authorities of the system. */
function trust(ca: string): void {
  const { connect } = tls
  jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca }, ...rest])
  })
}

afterEach(() => {
  jest.restoreAllMocks()
  server.close()
})

describe('a server that offers only finite-field key exchange, of any size, is refused before it costs CPU', () => {
  test('in TLS 1.2', async () => {
    const certificate = makeRSACertificate()
    await serve({ ...certificate, maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' })
    const naive = await connect(certificate.cert, 'TLSv1.2')
    expect(naive.getCipher().name).toBe('DHE-RSA-AES128-GCM-SHA256')
    naive.destroy()
    await expectRefusal(/no shared cipher/i)
  })

  test('in TLS 1.3', async () => {
    const certificate = makeRSACertificate()
    await serve({ ...certificate, minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' })
    const naive = await connect(certificate.cert, 'TLSv1.3')
    expect(naive.getEphemeralKeyInfo()).toMatchObject({ type: 'DH', size: 2048 })
    naive.destroy()
    await expectRefusal(/no suitable key share/i)
  })

  async function expectRefusal(alert: RegExp): Promise<void> {
    const refused = once(server, 'tlsClientError')
    const client = newClient()
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable' })
    expect(String((await refused)[0])).toMatch(alert)
    await client.close()
  }
})

describe('a server that repeats the handshake on an open connection', () => {
  const { good, ca } = makeCertificates()
  let handshakes = 0

  beforeEach(async () => {
    handshakes = 0
    await serve({ ...good, maxVersion: 'TLSv1.2' })
    server.on('secureConnection', (socket) => {
      socket.on('error', () => {})
      socket.on('data', () =>
        socket.renegotiate({}, () => {
          handshakes += 1
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{"access_token":"t"}')
        }),
      )
    })
  })

  test('succeeds with a naive client', async () => {
    const socket = await connect(ca, 'TLSv1.2')
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await once(socket, 'data')
    expect(handshakes).toBe(1)
    socket.destroy()
  })

  test('is refused by ours', async () => {
    trust(ca)
    const client = newClient(500)
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_timeout' })
    expect(handshakes).toBe(0)
    await client.close()
  })
})

describe('a server that asks a thousand times to repeat the handshake, in one record', () => {
  const { good, ca } = makeCertificates()

  beforeEach(async () => {
    server = await startHelloRequests(good, 1000)
  })

  test('makes a naive client that only refuses check its certificate each time', async () => {
    const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
    const socket = tls.connect({ port: port(server), host: 'localhost', ca, secureOptions }).on('error', () => {})
    let checks = 0
    await new Promise<void>((resolve) => {
      socket.on('secureConnect', () => {
        checks += 1
        if (checks === 1) socket.write('GET / HTTP/1.1\r\n\r\n')
        if (checks === 1001) resolve()
      })
    })
    socket.destroy()
  })

  test('is left by ours', async () => {
    trust(ca)
    const client = newClient()
    expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_bad_response' })
    await client.close()
  })
})

test('a list of ciphers of TLS 1.3 alone, as an operator may give to Node, is used', async () => {
  await serve(makeCertificates().selfSigned)
  const args = ['--tls-cipher-list=TLS_AES_256_GCM_SHA384', PROGRAM, String(port(server))]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  // The handshake came as far as that.
  expect(stdout).toContain('The certificate was not accepted')
})
