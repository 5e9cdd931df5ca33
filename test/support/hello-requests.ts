import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import net, { type Server, type Socket } from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { port } from './listen'

const HANDSHAKE = 22
const HELLO_REQUEST = Buffer.alloc(4)
// The random bytes of the message that starts the server's side of a handshake, in its first record.
const SERVER_RANDOM = [11, 43] as const

/**
 * A server of TLS 1.2 that asks to repeat the handshake many times in one record, which no library does: its own keys
 * encrypt what is added to the connection. It does so immediately, or as soon as it has received a request.
 */
export async function startHelloRequests(
  certificate: SecureContextOptions,
  count: number,
  when: 'open' | 'data',
): Promise<Server> {
  const ciphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256'
  const server = tls.createServer({ ...certificate, maxVersion: 'TLSv1.2', ciphers })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const front = net.createServer((client) =>
    relay(client, server, when, Buffer.concat(Array(count).fill(HELLO_REQUEST))),
  )
  front.listen(0, 'localhost').on('close', () => server.close())
  await once(front, 'listening')
  return front
}

function relay(client: Socket, server: tls.Server, when: 'open' | 'data', messages: Buffer): void {
  const upstream = net.connect(port(server), 'localhost')
  upstream.pipe(client).on('error', () => {})
  client.pipe(upstream).on('error', () => {})
  let serverRandom: Buffer = Buffer.alloc(0)
  upstream.once('data', (bytes: Buffer) => {
    serverRandom = bytes.subarray(...SERVER_RANDOM)
  })
  server.once('keylog', (line) => {
    const [, clientRandom = '', secret = ''] = line.toString('latin1').trim().split(' ')
    const seed = Buffer.concat([serverRandom, Buffer.from(clientRandom, 'hex')])
    const keys = keyBlock(Buffer.from(secret, 'hex'), seed)
    server.once('secureConnection', (socket) => {
      const send = (): void => void client.write(encrypt(messages, keys))
      socket.on('error', () => {})
      if (when === 'data') socket.once('data', send)
      // The end of the handshake is on its way to the relay, and must come before.
      else upstream.once('data', () => setImmediate(send))
    })
  })
}

/** RFC 5246, 6.3: two keys of 16 bytes, then two salts of 4, the client's first. */
function keyBlock(secret: Buffer, seed: Buffer): Buffer {
  const hmac = (...parts: Buffer[]): Buffer => createHmac('sha256', secret).update(Buffer.concat(parts)).digest()
  const labelled = Buffer.concat([Buffer.from('key expansion'), seed])
  const first = hmac(labelled)
  return Buffer.concat([hmac(first, labelled), hmac(hmac(first), labelled)])
}

/** The server's second encrypted record: the first one ended its handshake. */
function encrypt(text: Buffer, keys: Buffer): Buffer {
  const sequence = Buffer.from('0000000000000001', 'hex')
  const header = (length: number): Buffer => Buffer.from([HANDSHAKE, 3, 3, length >> 8, length & 255])
  const cipher = createCipheriv('aes-128-gcm', keys.subarray(16, 32), Buffer.concat([keys.subarray(36, 40), sequence]))
  cipher.setAAD(Buffer.concat([sequence, header(text.length)]))
  const encrypted = Buffer.concat([sequence, cipher.update(text), cipher.final(), cipher.getAuthTag()])
  return Buffer.concat([header(encrypted.length), encrypted])
}
