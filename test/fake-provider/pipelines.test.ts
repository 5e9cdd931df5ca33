import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { FakeProvider, type Fault } from '../../lib/testing'

let provider: FakeProvider

beforeEach(async () => {
  provider = await FakeProvider.start()
})
afterEach(() => provider.stop())

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${new URL(provider.origin).host}\r\n\r\n`

async function send(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(provider.origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(text)
  return socket
}

test('pipelined responses are dropped when their client disconnects', async () => {
  const listener: unknown = Reflect.get(provider, '_listener')
  const open = (): unknown => Reflect.get(Object(Reflect.get(Object(listener), '_open')), 'size')
  for (let round = 0; round < 3; round += 1) {
    provider.failNext('user/me', { delay: 30 })
    const socket = await send(get('/api/v1/user/me') + get('/icon.svg').repeat(200))
    while (open() === 0) await new Promise(setImmediate)
    socket.destroy()
    while (open() !== 0) await new Promise(setImmediate)
  }
})

test.each<[string, Fault]>([
  ['reset', { reset: true }],
  ['reset within the headers', { reset: 'headers' }],
  ['raw', { raw: 'SSH-2.0-x\r\n' }],
])('the fault %s also affects a pipelined request', async (_title, fault) => {
  provider.failNext('user/me', { delay: 20 })
  provider.failNext('user/me', fault)
  const socket = await send(get('/api/v1/user/me') + get('/api/v1/user/me'))
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
})

test.each([204, 304])('an endless body with status %d, which has no body, ends at once', async (status) => {
  provider.failNext('user/me', { status, endless: true })
  const socket = await send(get('/api/v1/user/me'))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  // The connection is free for the next request.
  socket.write(get('/api/oauth'))
  const [next] = await once(socket, 'data')
  expect(String(next)).toMatch(/^HTTP\/1.1 400 /)
  socket.destroy()
})

test('a generated id is never reused', async () => {
  const { user_id } = provider.addUser()
  provider.removeUser(user_id)
  expect(provider.addUser().user_id).not.toBe(user_id)
})

const subresource = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
// As Chromium sends it, which Node takes for an ordinary request.
const webSocket = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  origin: 'https://evil.example',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

test.each([
  ['an image', { ...subresource, 'sec-fetch-dest': 'image' }],
  ['a script', { ...subresource, 'sec-fetch-dest': 'script' }],
  ['a request by fetch', { ...subresource, 'sec-fetch-dest': 'empty' }],
  ['a WebSocket', webSocket],
])('%s of a page of another site is neither logged nor given a fault', async (_kind, headers) => {
  provider.failNext('oauth', { status: 500 })
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = get('/api/oauth?app_id=x').replace(/\r\n$/, `${lines.join('')}\r\n`)
  const socket = await send(request)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 403 /)
  expect(provider.requests).toEqual([])
  socket.destroy()
})
