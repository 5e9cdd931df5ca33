import tls, { type SecureContextOptions } from 'node:tls'
import { OUTCOMES } from '../../lib'
import { closeBrowsers } from '../support/browser'
import { type Certificates, makeCertificates } from '../support/certificates'
import { RawProvider } from '../support/raw-provider'
import { FaultHarness } from './fault-harness'

let certificates: Certificates
let harness: FaultHarness

beforeAll(() => {
  certificates = makeCertificates()
})

afterEach(async () => {
  jest.restoreAllMocks()
  await harness.stop()
})
afterAll(closeBrowsers)

/** Makes the strategy's own pool trust the test CA, as NODE_EXTRA_CA_CERTS does for a process. */
function trustTheAuthority(): void {
  const connect = tls.connect
  jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca: certificates.ca }, ...rest])
  })
}

// With `SOAK=1`, 20 in a row.
const TIMES = process.env['SOAK'] === '1' ? 20 : 3

const AT = ['exchange', 'profile'] as const

// Short, because a refused connection is tried again for a third of it.
const SHORT = { timeout: 1200 }

/** The fault affects the connection of the exchange, or the new one of the profile request. */
async function expectUnreachable(
  at: (typeof AT)[number],
  breakIt: () => unknown,
  mend: () => unknown,
  times = 1,
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const result = await harness.login(
      at === 'exchange' ? breakIt : () => harness.raw.armAfterExchange(breakIt),
      at === 'exchange',
    )
    expect(result.outcome).toBe('provider_unreachable')
    expect(result.answer.status).toBe(OUTCOMES.provider_unreachable.status)
    expect(result.requests).toEqual(at === 'exchange' ? [] : ['authorize'])
    expect(result.leaks).toStrictEqual([])
    await mend()
  }
  expect(await harness.goodLogin()).toBe(200)
}

const badCertificates: [string, (made: Certificates) => SecureContextOptions][] = [
  ['an expired certificate', (made) => made.expired],
  ['a certificate of another host', (made) => made.wrongHost],
  ['a self-signed certificate', (made) => made.selfSigned],
  ['a certificate of an authority that nobody knows', (made) => made.unknownCA],
  [
    'TLS 1.1 at the most',
    (made) => ({ ...made.good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  ],
]

describe.each(['session', 'web'] as const)('with a pending login of the kind %s', (keep) => {
  describe.each(badCertificates)('a provider with %s', (_, bad) => {
    test.each(AT)(
      'is unreachable at the %s, receives no byte of a request, and works again once repaired',
      async (at) => {
        trustTheAuthority()
        harness = await FaultHarness.start(await RawProvider.start(certificates.good), keep)
        expect(await harness.goodLogin()).toBe(200)
        const breakIt = () => harness.raw.certify(bad(certificates))
        await expectUnreachable(at, breakIt, () => harness.raw.certify(certificates.good), TIMES)
      },
    )
  })

  test('without the test CA even the valid certificate is refused', async () => {
    harness = await FaultHarness.start(await RawProvider.start(certificates.good), keep)
    const result = await harness.login(() => {})
    expect([result.outcome, result.requests]).toStrictEqual(['provider_unreachable', []])
  })

  test.each(AT)('an interrupted TLS handshake at the %s is unreachable', async (at) => {
    trustTheAuthority()
    harness = await FaultHarness.start(await RawProvider.start(certificates.good), keep, undefined, SHORT)
    const cut = (isCut: boolean) => () => harness.raw.cutHandshakes(isCut)
    await expectUnreachable(at, cut(true), cut(false), TIMES)
  })

  test('plain HTTP on the TLS port is unreachable', async () => {
    const raw = await RawProvider.start()
    harness = await FaultHarness.start(raw, keep, raw.baseURL.replace('http:', 'https:'))
    const result = await harness.login(
      () => raw.greetWith((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      true,
    )
    expect([result.outcome, result.requests, result.leaks]).toStrictEqual(['provider_unreachable', [], []])
  })

  test('TLS on the plain port is a bad response or unreachable', async () => {
    trustTheAuthority()
    const raw = await RawProvider.start(certificates.good)
    harness = await FaultHarness.start(raw, keep, raw.baseURL.replace('https:', 'http:'))
    const result = await harness.login(() => {})
    expect(['provider_unreachable', 'provider_bad_response']).toContain(result.outcome)
    expect([result.requests, result.leaks]).toStrictEqual([[], []])
  })
})
