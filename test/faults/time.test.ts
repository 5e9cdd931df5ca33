import { setInterval, setTimeout } from 'node:timers'
import { closeBrowsers } from '../support/browser'
import { answer, RawProvider, type RawRequest, type Wire } from '../support/raw-provider'
import { ENDPOINTS, FaultHarness } from './fault-harness'

// The default deadline. Only the strategy's clock is faked: the sockets and the provider are real.
const DEADLINE = 10_000

let harness: FaultHarness

afterEach(async () => {
  jest.useRealTimers()
  await harness.stop()
})
afterAll(closeBrowsers)

function runTheClock(): void {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'hrtime'] })
}

const drip =
  (make: (body: string) => string): Wire =>
  (socket, body) => {
    const bytes = make(body)
    let at = 0
    const timer = setInterval(() => {
      if (socket.destroyed || at === bytes.length - 1) clearInterval(timer)
      else socket.write(bytes.slice(at, ++at))
    }, 2)
  }

const OKAY = 'HTTP/1.1 200 OK\r\n'
const slow: [string, Wire][] = [
  ['silence', () => {}],
  ['half a header', (socket) => socket.write(`${OKAY}content-ty`)],
  ['a header that drips', drip(() => `${OKAY}x-a: ${'b'.repeat(5000)}\r\n`)],
  ['a body that drips', drip((body) => String(answer(body)))],
  ['half a body', (socket, body) => socket.write(answer(body).subarray(0, -3))],
  ['a promise of 1 GB and nothing more', (socket) => socket.write(`${OKAY}content-length: 1073741824\r\n\r\n{`)],
]

const cases = slow.flatMap(([title, wire]) => ENDPOINTS.map((endpoint) => ({ title, wire, endpoint })))

describe.each(['session', 'web'] as const)('with a pending login of the kind %s', (keep) => {
  beforeEach(async () => {
    harness = await FaultHarness.start(await RawProvider.start(), keep)
  })

  test.each(cases)(
    '$title at $endpoint is given up at the deadline, and the next login is good',
    async ({ wire, endpoint }) => {
      const result = await loginAfter(DEADLINE, endpoint, wire)
      expect([result.outcome, result.answer.status]).toEqual(['provider_timeout', 504])
      expect(result.requests.filter((asked) => asked === endpoint)).toHaveLength(1)
      expect(result.leaks).toEqual([])
      expect(await harness.goodLogin()).toBe(200)
    },
  )

  test.each(ENDPOINTS)(
    'an answer of %s 10 ms before the deadline counts, one 10 ms after it does not',
    async (endpoint) => {
      for (const [wait, outcome] of [
        [DEADLINE - 10, 'success'],
        [DEADLINE + 10, 'provider_timeout'],
      ] as const) {
        let finish = (): void => {}
        const hold: Wire = (socket, body) => {
          finish = () => socket.write(answer(body))
        }
        const result = await loginAfter(wait, endpoint, hold, () => finish())
        expect(result.outcome).toBe(outcome)
        expect(await harness.goodLogin()).toBe(200)
      }
    },
  )

  test('a silent TLS connection is given up at the deadline, and nothing is sent', async () => {
    await harness.stop()
    const raw = await RawProvider.start()
    // Real time: the connection is opened at the start, before there is a deadline.
    harness = await FaultHarness.start(raw, keep, raw.baseURL.replace('http:', 'https:'), { timeout: 500 })
    const result = await harness.login(() => raw.greetWith(() => {}), true)
    expect(['provider_timeout', 'provider_unreachable']).toContain(result.outcome)
    expect([result.requests, result.leaks]).toEqual([[], []])
  })
})

/** A login whose clock is advanced once the fault has begun at the endpoint. */
async function loginAfter(wait: number, endpoint: RawRequest['endpoint'], wire: Wire, then = (): void => {}) {
  let begun = (): void => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const arrange = () => {
    harness.raw.failNext(endpoint, (socket, body) => {
      wire(socket, body)
      // A few drips later.
      setTimeout(begun, 10)
    })
    runTheClock()
  }
  const result = await harness.login(arrange, false, async () => {
    await hasBegun
    jest.advanceTimersByTime(wait)
    then()
  })
  jest.useRealTimers()
  return result
}
