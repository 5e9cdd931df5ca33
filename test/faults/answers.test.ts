import { OUTCOMES, type OutcomeCode } from '../../lib'
import { closeBrowsers } from '../support/browser'
import { RawProvider } from '../support/raw-provider'
import { contentFaults, statusFaults, syntaxFaults, transportFaults, type WireFault } from '../support/wire-faults'
import { ENDPOINTS, FaultBench } from './fault-bench'

const WORST = new Set([
  'RST before the headers',
  'FIN within the body',
  'RST within the body',
  'chunks without end',
  'a header of 1 MB',
  'a length and chunks',
  '101',
  'junk behind a whole answer',
])

const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)
process.on('unhandledRejection', note).on('uncaughtExceptionMonitor', note)

// A profile is asked for once more after these: see profile-repeat.test.ts.
const REPEATED: ReadonlySet<string> = new Set(['provider_unavailable', 'provider_unreachable'])

let bench: FaultBench

afterAll(async () => {
  await closeBrowsers()
  process.off('unhandledRejection', note).off('uncaughtExceptionMonitor', note)
  expect(uncaught).toEqual([])
})

const groups = { transport: transportFaults, syntax: syntaxFaults, status: statusFaults, content: contentFaults }
const cases = Object.entries(groups).flatMap(([group, faults]) =>
  faults.flatMap((fault) => ENDPOINTS.map((endpoint) => ({ ...fault, group, endpoint }))),
)

/** Asserts everything that one login over this fault must keep to. */
async function expectOutcome(fault: WireFault, endpoint: (typeof ENDPOINTS)[number]): Promise<void> {
  const fallen = await bench.fall(() => bench.raw.failNext(endpoint, fault.wire, 2))
  const code = typeof fault.code === 'string' ? fault.code : fault.code[endpoint]
  const expected: string[] = fault.orSuccess ? [code, 'success'] : [code]
  expect(expected).toContain(fallen.outcome)
  expect(fallen.answer.status).toBe(statusOf(fallen.outcome))
  expect(fallen.answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(fallen.leaks).toEqual([])
  const times = fallen.requests.filter((asked) => asked === endpoint).length
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

// `SOAK=1` takes them all.
const worst = [...transportFaults, ...syntaxFaults].filter(
  (fault) => process.env['SOAK'] === '1' || WORST.has(fault.title),
)

describe.each(['session', 'cookie'] as const)('with the login in progress in the %s', (keep) => {
  beforeAll(async () => {
    bench = await FaultBench.start(await RawProvider.start(), keep)
  })
  afterAll(() => bench.stop())

  test.each(cases)(
    '$group: $title at $endpoint is $code, and the next login is good',
    async ({ endpoint, ...fault }) => {
      await expectOutcome(fault, endpoint)
      expect(await bench.goodLogin()).toBe(200)
    },
  )

  test('a login that failed cannot be finished by coming back: its record is gone', async () => {
    for (const endpoint of ENDPOINTS) {
      const browser = await bench.begin()
      bench.raw.failNext(endpoint, (socket) => socket.write('HTTP/1.1 500 Down\r\ncontent-length: 0\r\n\r\n'), 2)
      expect((await bench.comeBack(browser)).status).toBe(502)
      expect(await bench.recordIsGone(browser)).toBe(true)
    }
  })

  test.each(worst)(
    '$title, 20 in a row at each endpoint, and then a good login',
    async (fault) => {
      for (const endpoint of ENDPOINTS) {
        for (let time = 0; time < 20; time += 1) await expectOutcome(fault, endpoint)
        expect(await bench.goodLogin()).toBe(200)
      }
    },
    60_000,
  )

  test('nothing is left open when the provider has gone', async () => {
    expect(await bench.goodLogin()).toBe(200)
    bench.forget()
    await new Promise((resolve) => setImmediate(resolve))
    await bench.raw.stop()
    const browser = await bench.begin()
    expect((await bench.comeBack(browser)).status).toBe(502)
  })
})
