import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from 'node:child_process'
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls, { type SecureVersion, type TLSSocket, type TlsOptions } from 'node:tls'
import { promisify } from 'node:util'
import { SocialLoginClient } from '../../../../lib'
import { makeCertificates, makeRSACertificate, trustAuthority } from '../../../support/certificates'
import { type Connections, countConnections } from '../../../support/connections'
import { diagnose } from '../../../support/doctor'
import { startHelloRequests } from '../../../support/hello-requests'
import { rejectionOf } from '../../../support/leak-check'
import { port } from '../../../support/listen'
import { RawProvider } from '../../../support/raw-provider'
import { TunnelProxy } from '../../../support/tunnel-proxy'
import { settled, until } from '../../../support/turns'

const PROGRAM = join(__dirname, 'tls-program.js')
const certificates = makeCertificates()
const rsa = makeRSACertificate()

let server: Server
let connections: Connections
/** Why handshakes failed. */
let alerts: string[]
let clients: SocialLoginClient[] = []

function watch(started: Server): void {
  server = started
  connections = countConnections(server)
  alerts = []
  server.on('connection', (socket: Socket) => socket.on('error', () => {}))
  server.on('tlsClientError', (error) => alerts.push(String(error)))
}

async function serve(options: TlsOptions): Promise<void> {
  watch(tls.createServer(options).listen(0, 'localhost'))
  await once(server, 'listening')
}

const baseURL = (): string => `https://localhost:${port(server)}/api/v1`

function newClient(timeout?: number): SocialLoginClient {
  const client = new SocialLoginClient({ clientID: 'id', clientSecret: 'secret', baseURL: baseURL(), timeout })
  clients.push(client)
  return client
}

/** A connection with the options of Node. */
async function connect(ca: string, maxVersion: SecureVersion): Promise<TLSSocket> {
  const socket = tls.connect({ port: port(server), host: 'localhost', ca, maxVersion })
  await Promise.all([once(socket, 'secureConnect'), once(server, 'secureConnection')])
  return socket
}

afterEach(async () => {
  jest.useRealTimers()
  jest.restoreAllMocks()
  for (const client of clients) await client.close()
  clients = []
  server.close()
})

describe.each<[string, TlsOptions, SecureVersion, RegExp]>([
  [
    'TLS 1.2',
    { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' },
    'TLSv1.2',
    /no shared cipher/i,
  ],
  ['TLS 1.3', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' }, 'TLSv1.3', /no suitable key share/i],
])(
  'a server of %s that exchanges keys over finite fields alone, of a size that it chooses',
  (_, options, version, alert) => {
    beforeEach(async () => {
      await serve({ ...rsa, ...options })
      const naive = await connect(rsa.cert, version)
      expect(naive.getEphemeralKeyInfo()).toMatchObject({ type: 'DH' })
      naive.destroy()
    })

    test('is refused before it costs CPU, in one handshake for each connection that was asked for', async () => {
      const client = newClient()
      client.preconnect()
      await until(() => alerts.length === 1)
      expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable' })
      expect(alerts).toStrictEqual([expect.stringMatching(alert), expect.stringMatching(alert)])
      // That of the naive client is the first.
      expect(connections.accepted).toBe(3)
    })

    test('is refused by the doctor, too', async () => {
      const { isBroken, report } = await diagnose(baseURL())
      expect([isBroken, report]).toStrictEqual([true, expect.stringContaining('The TLS handshake failed')])
      expect(alerts).toEqual(Array(connections.accepted - 1).fill(expect.stringMatching(alert)))
    })
  },
)

describe('a server that repeats the handshake without end on an open connection', () => {
  let handshakes = 0

  beforeEach(async () => {
    handshakes = 0
    await serve({ ...certificates.good, maxVersion: 'TLSv1.2' })
    server.on('secureConnection', (socket: TLSSocket) => {
      socket.on('error', () => {})
      const again = (): void => {
        socket.renegotiate({}, (error) => {
          if (error || socket.destroyed) return
          handshakes += 1
          setImmediate(again)
        })
      }
      again()
    })
  })

  test('does so with a naive client', async () => {
    const socket = await connect(certificates.ca, 'TLSv1.2')
    await until(() => handshakes > 10)
    socket.destroy()
    // Its last handshake is none of the next test's.
    await until(() => connections.open === 0)
  })

  test('is refused by ours, on a spare connection and in a call', async () => {
    trustAuthority(certificates.ca)
    const client = newClient(500)
    client.preconnect()
    await until(() => connections.accepted === 1 && connections.open === 0)
    await rejectionOf(client.exchangeAuthKey('key'))
    expect([handshakes, connections.accepted > 1]).toStrictEqual([0, true])
  })
})

describe('a server that asks a thousand times to repeat the handshake, in one record', () => {
  const start = async (when: 'open' | 'data') => watch(await startHelloRequests(certificates.good, 1000, when))

  test('makes a naive client that only refuses check its certificate each time', async () => {
    await start('data')
    const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
    const options = { port: port(server), host: 'localhost', ca: certificates.ca, secureOptions }
    const socket = tls.connect(options).on('error', () => {})
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

  test('is left by ours in a call', async () => {
    await start('data')
    trustAuthority(certificates.ca)
    expect(await rejectionOf(newClient().exchangeAuthKey('key'))).toMatchObject({ code: 'provider_bad_response' })
    await until(() => connections.open === 0)
  })

  test('is left by ours on a spare connection', async () => {
    await start('open')
    trustAuthority(certificates.ca)
    newClient().preconnect()
    await until(() => connections.accepted === 1)
    await until(() => connections.open === 0)
  })
})

describe('a server that sends hundreds of session tickets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickets-'))
  let openssl: ChildProcessWithoutNullStreams

  beforeAll(() => {
    writeFileSync(join(folder, 'key'), certificates.good.key)
    writeFileSync(join(folder, 'cert'), certificates.good.cert)
  })
  afterEach(() => openssl.kill())
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Node's own server cannot send more than two. @returns the port, and a promise that ends with the connection */
  async function start(tickets: number) {
    watch(tls.createServer())
    const files = ['-key', join(folder, 'key'), '-cert', join(folder, 'cert')]
    openssl = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', '-num_tickets', String(tickets), ...files])
    openssl.stdin.on('error', () => {})
    let printed = ''
    openssl.stdout.setEncoding('latin1').on('data', (text: string) => {
      printed += text
    })
    openssl.stderr.resume()
    await until(() => /^ACCEPT \S+:\d+/m.test(printed))
    const [, tlsPort = ''] = /^ACCEPT \S+:(\d+)/m.exec(printed) ?? []
    return { tlsPort, isLeft: () => /ERROR|CONNECTION CLOSED/.test(printed) }
  }

  const preconnect = (tlsPort: string): jest.SpyInstance => {
    const opened = trustAuthority(certificates.ca)
    const client = new SocialLoginClient({
      baseURL: `https://localhost:${tlsPort}/api/v1`,
      clientID: 'id',
      clientSecret: 'secret',
    })
    clients.push(client)
    client.preconnect()
    return opened
  }

  const spare = (opened: jest.SpyInstance): TLSSocket => opened.mock.results[0]?.value

  test.each([16, 17])('loses a spare connection of ours behind the sixteenth: %d', async (tickets) => {
    const { tlsPort } = await start(tickets)
    const opened = preconnect(tlsPort)
    let received = 0
    spare(opened).on('session', () => {
      received += 1
    })
    await until(() => received === tickets)
    await settled(() => received)
    expect(spare(opened).destroyed).toBe(tickets > 16)
  })
})

test('a handshake that the server resets is not tried again, as if it were one that restarts', async () => {
  watch(createServer((socket) => socket.once('data', () => socket.resetAndDestroy())).listen(0, 'localhost'))
  await once(server, 'listening')
  const client = newClient(30_000)
  client.preconnect()
  await until(() => connections.accepted === 1 && connections.open === 0)
  const message = expect.stringContaining('was closed before the response')
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable', message })
  expect(connections.accepted).toBe(2)
})

describe('a connection whose handshake is never answered', () => {
  beforeEach(() => serve(certificates.good))

  test.each<[string, (client: SocialLoginClient) => unknown]>([
    ['of a call', (client) => rejectionOf(client.exchangeAuthKey('key'))],
    ['a spare one', (client) => client.preconnect()],
  ])('is closed when its time is over: %s', async (_, open) => {
    server.removeAllListeners('connection')
    watch(server)
    server.on('connection', (socket: Socket) => socket.resume())
    const client = newClient(200)
    await open(client)
    await until(() => connections.accepted === 1)
    // Nothing else would close it: undici is given no limit of its own.
    await until(() => connections.open === 0)
  })
})

describe('with NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment', () => {
  let provider: RawProvider
  let proxy: TunnelProxy

  beforeEach(async () => {
    watch(createServer())
    provider = await RawProvider.start(certificates.selfSigned)
    proxy = await TunnelProxy.start(() => provider.port)
  })
  afterEach(async () => {
    await provider.stop()
    await proxy.stop()
  })

  const run = async (kind: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1', ...more }
    return (await promisify(execFile)(process.execPath, [PROGRAM, kind, provider.baseURL], { env })).stdout
  }
  const proxied = () => ({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url })

  test('a naive client sends the secret to anybody', async () => {
    await run('naive')
    expect(provider.requests.map(({ body }) => body)).toStrictEqual([expect.stringContaining('app_secret=secret')])
  })

  test.each<[string, () => Readonly<Record<string, string>>, number]>([
    ['', () => ({}), 0],
    // One for a spare connection, and one for the call.
    [' behind a proxy', proxied, 2],
    [' to a host that is not behind the proxy', () => ({ ...proxied(), NO_PROXY: 'localhost' }), 0],
  ])('ours sends nothing%s', async (_title, env, through) => {
    expect(await run('ours', env())).toContain('The certificate was not accepted')
    expect([provider.requests, proxy.asked.length]).toStrictEqual([[], through])
  })

  test('ours does not ask a proxy whose own certificate is not accepted', async () => {
    const secure = await TunnelProxy.start(() => provider.port, { certified: certificates.selfSigned })
    const output = await run('ours', { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: secure.url })
    await secure.stop()
    expect(output).toContain('The certificate was not accepted')
    expect(secure.asked).toStrictEqual([])
  })
})

test('a list of ciphers of TLS 1.3 alone, as an operator may give to Node, is used', async () => {
  await serve(certificates.selfSigned)
  const args = ['--tls-cipher-list=TLS_AES_256_GCM_SHA384', PROGRAM, 'ours', baseURL()]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  // The handshake came as far as that.
  expect(stdout).toContain('The certificate was not accepted')
})

test('the groups that an application has chosen for its process are used as they are', () => {
  const program = `
    require('node:tls').DEFAULT_ECDH_CURVE = 'P-256'
    console.log(require(process.argv[1]).tlsOptions().ecdhCurve)`
  const file = join(__dirname, '../../../../lib/client/http/tls-options')
  expect(execFileSync(process.execPath, ['-e', program, file], { encoding: 'utf8' }).trim()).toBe('P-256')
})
