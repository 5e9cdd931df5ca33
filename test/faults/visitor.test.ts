import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { providerNavigation } from '../../lib/testing'
import { type Browser, closeBrowsers } from '../support/browser'
import { answer, RawProvider, type RawRequest } from '../support/raw-provider'
import { ENDPOINTS, FaultHarness } from './fault-harness'

let harness: FaultHarness

afterEach(() => harness.stop())
afterAll(closeBrowsers)

/** The bytes of a callback of this browser. */
async function callbackOf(browser: Browser, key: string): Promise<string> {
  const { origin } = harness.app
  const lines = Object.entries({
    ...providerNavigation,
    host: new URL(origin).host,
    cookie: await browser.cookies(origin),
  })
  return `GET /callback?auth_key=${key} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(harness.app.origin).port), 'localhost')
  await once(socket, 'connect')
  return socket
}

/** Holds the response of an endpoint; resolves with a function that sends it. */
function hold(endpoint: RawRequest['endpoint']): Promise<() => void> {
  return new Promise((resolve) => {
    harness.raw.failNext(endpoint, (socket, body) => resolve(() => socket.write(answer(body))))
  })
}

describe.each(['session', 'web'] as const)('with a pending login of the kind %s', (keep) => {
  beforeEach(async () => {
    harness = await FaultHarness.start(await RawProvider.start(), keep)
  })

  test.each(ENDPOINTS)(
    'a browser that disconnects during %s breaks nothing, and its key is sent once',
    async (endpoint) => {
      const browser = await harness.begin()
      const held = hold(endpoint)
      const socket = await open()
      socket.write(await callbackOf(browser, 'abandoned'))
      const release = await held
      socket.resetAndDestroy()
      await once(socket, 'close')
      release()
      while (harness.app.profiles.length === 0) await setImmediate()
      expect(harness.raw.requests.filter((asked) => asked.endpoint === 'authorize')).toHaveLength(1)
      expect(harness.app.errors).toStrictEqual([])
      const again = await harness.comeBack(browser)
      expect([200, 403]).toContain(again.status)
      expect(harness.raw.requests.filter((asked) => asked.endpoint === 'authorize')).toHaveLength(1)
      expect(await harness.goodLogin()).toBe(200)
    },
  )

  test('a callback that is pipelined twice is one exchange and two answers', async () => {
    const browser = await harness.begin()
    const socket = await open()
    const bytes = await callbackOf(browser, 'pipelined')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(bytes + bytes)
    while (received.split('HTTP/1.1 ').length < 3) await once(socket, 'data')
    expect(
      received
        .split('HTTP/1.1 ')
        .slice(1)
        .map((text) => text.slice(0, 3)),
    ).toStrictEqual(['200', '200'])
    expect(harness.raw.requests.filter((asked) => asked.endpoint === 'authorize')).toHaveLength(1)
    socket.destroy()
  })

  test('a browser that does not read its response does not block others', async () => {
    const browser = await harness.begin()
    const socket = await open()
    socket.pause()
    socket.write(await callbackOf(browser, 'unread'))
    while (harness.app.profiles.length === 0) await setImmediate()
    const others = await Promise.all(Array.from({ length: 20 }, async () => harness.comeBack(await harness.begin())))
    expect(others.map(({ status }) => status)).toEqual(Array(20).fill(200))
    socket.resume()
    const [chunk] = await once(socket, 'data')
    expect(String(chunk)).toContain('HTTP/1.1 200')
    socket.destroy()
  })
})
