import { OUTCOMES, type OutcomeCode } from '../../lib'
import { closeBrowsers } from '../support/browser'
import { RawProvider } from '../support/raw-provider'
import { contentFaults, statusFaults, syntaxFaults, transportFaults, type WireFault } from '../support/wire-faults'
import { ENDPOINTS, FaultHarness } from './fault-harness'

const WORST = new Set([
  'RST before the headers',
  'FIN within the body',
  'RST within the body',
  'chunks without end',
  'a header of 1 MB',
  'a length and chunks',
  '101',
  'junk after a complete response',
])

const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)
process.on('unhandledRejection', note).on('uncaughtExceptionMonitor', note)

// A profile request is retried after these: see retried-profile.test.ts.
const REPEATED: ReadonlySet<string> = new Set(['provider_unavailable', 'provider_unreachable'])

let harness: FaultHarness

afterAll(async () => {
  await closeBrowsers()
  process.off('unhandledRejection', note).off('uncaughtExceptionMonitor', note)
  expect(uncaught).toEqual([])
})

const groups = { transport: transportFaults, syntax: syntaxFaults, status: statusFaults, content: contentFaults }
const cases = Object.entries(groups).flatMap(([group, faults]) =>
  faults.flatMap((fault) => ENDPOINTS.map((endpoint) => ({ ...fault, group, endpoint }))),
)

/** Asserts all requirements on one login with this fault. */
async function expectOutcome(fault: WireFault, endpoint: (typeof ENDPOINTS)[number]): Promise<void> {
  const result = await harness.login(() => harness.raw.failNext(endpoint, fault.wire, 2))
  const code = typeof fault.code === 'string' ? fault.code : fault.code[endpoint]
  const expected: string[] = fault.orSuccess ? [code, 'success'] : [code]
  expect(expected).toContain(result.outcome)
  expect(result.answer.status).toBe(statusOf(result.outcome))
  expect(result.answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(result.leaks).toEqual([])
  const times = result.requests.filter((asked) => asked === endpoint).length
  expect(times).toBeGreaterThanOrEqual(1)
  const isRepeated = fault.unanswered || (endpoint === 'user/me' && REPEATED.has(code))
  expect(times).toBeLessThanOrEqual(isRepeated ? 2 : 1)
}

function statusOf(outcome: string | undefined): number | undefined {
  return outcome === 'success' ? 200 : OUTCOMES[codeIn(outcome)].status
}

function codeIn(outcome: string | undefined): OutcomeCode {
  const code = Object.keys(OUTCOMES).find((name): name is OutcomeCode => name === outcome)
  if (!code) throw new Error(`no outcome: ${outcome}`)
  return code
}

// All of them with `SOAK=1`.
const worst = [...transportFaults, ...syntaxFaults].filter(
  (fault) => process.env['SOAK'] === '1' || WORST.has(fault.title),
)

describe.each(['session', 'cookie', 'web'] as const)('with a pending login of the kind %s', (keep) => {
  beforeAll(async () => {
    harness = await FaultHarness.start(await RawProvider.start(), keep)
  })
  afterAll(() => harness.stop())

  test.each(cases)(
    '$group: $title at $endpoint is $code, and the next login is good',
    async ({ endpoint, ...fault }) => {
      await expectOutcome(fault, endpoint)
      expect(await harness.goodLogin()).toBe(200)
    },
  )

  test('a failed login cannot be finished by another callback: its record is gone', async () => {
    for (const endpoint of ENDPOINTS) {
      const browser = await harness.begin()
      harness.raw.failNext(endpoint, (socket) => socket.write('HTTP/1.1 500 Down\r\ncontent-length: 0\r\n\r\n'), 2)
      expect((await harness.comeBack(browser)).status).toBe(502)
      expect(await harness.recordIsGone(browser)).toBe(true)
    }
  })

  test.each(worst)(
    '$title, 20 in a row at each endpoint, and then a good login',
    async (fault) => {
      for (const endpoint of ENDPOINTS) {
        for (let time = 0; time < 20; time += 1) await expectOutcome(fault, endpoint)
        expect(await harness.goodLogin()).toBe(200)
      }
    },
    60_000,
  )

  test('nothing is left open when the provider has stopped', async () => {
    expect(await harness.goodLogin()).toBe(200)
    harness.forget()
    await new Promise((resolve) => setImmediate(resolve))
    await harness.raw.stop()
    const browser = await harness.begin()
    expect((await harness.comeBack(browser)).status).toBe(502)
  })
})
