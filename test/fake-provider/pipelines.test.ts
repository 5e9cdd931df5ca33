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
