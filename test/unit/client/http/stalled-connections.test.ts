import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { SocialLoginClient } from '../../../../lib'
import { port } from '../../../support/listen'

let server: Server
let sockets: Set<Socket>
let mostAtOnce: number
let accepted: number
/** Handles the server's connections. */
let receive: (socket: Socket) => void

beforeEach(async () => {
  sockets = new Set()
  mostAtOnce = accepted = 0
  receive = () => {}
  server = createServer((socket) => {
    accepted += 1
    sockets.add(socket)
    mostAtOnce = Math.max(mostAtOnce, sockets.size)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', () => receive(socket))
  }).listen(0, 'localhost')
  await once(server, 'listening')
})

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  server.close()
  await once(server, 'close')
})

function client(protocol: string, maxConnections: number, timeout: number): SocialLoginClient {
  const baseURL = `${protocol}://localhost:${port(server)}/api/v1`
  return new SocialLoginClient({ baseURL, clientID: 'id', clientSecret: 'secret', maxConnections, timeout })
}

const delay = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

function answerWell(socket: Socket): void {
  const body = '{"access_token":"token"}'
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
}

test('calls whose deadline ends during the TLS handshake do not exceed the connection limit', async () => {
  const asked = client('https', 4, 100)
  const calls: Promise<unknown>[] = []
  for (let wave = 0; wave < 8; wave++) {
    for (let count = 0; count < 4; count++) calls.push(asked.exchangeAuthKey('key').catch((error) => error.code))
    await delay(100)
  }
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['provider_timeout']))
  // The server may see a new connection before the close of the old one.
  expect(mostAtOnce).toBeLessThanOrEqual(8)
  await asked.close()
})

test('calls that time out in the queue cost no connection and do not block others', async () => {
  const asked = client('http', 1, 5000)
  const signal = AbortSignal.timeout(100)
  const given = Array.from({ length: 9 }, () => asked.exchangeAuthKey('key', { signal }).catch((error) => error.code))
  expect(new Set(await Promise.all(given))).toEqual(new Set(['provider_timeout']))
  receive = answerWell
  expect(await asked.exchangeAuthKey('key')).toEqual({ access_token: 'token' })
  // That of the sent call, and the one that was used.
  expect(accepted).toBe(2)
  await asked.close()
})
