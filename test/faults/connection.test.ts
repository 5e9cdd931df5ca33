import dns from 'node:dns'
import tls, { type SecureContextOptions } from 'node:tls'
import { OUTCOMES } from '../../lib'
import { closeBrowsers } from '../support/browser'
import { type Certificates, makeCertificates } from '../support/certificates'
import { RawProvider } from '../support/raw-provider'
import { FaultBench } from './fault-bench'

let certificates: Certificates
let bench: FaultBench

beforeAll(() => {
  certificates = makeCertificates()
})

afterEach(async () => {
  jest.restoreAllMocks()
  await bench.stop()
})
afterAll(closeBrowsers)

/** As NODE_EXTRA_CA_CERTS does for a whole process: the strategy's own pool trusts the authority of the tests. */
function trustTheAuthority(): void {
  const connect = tls.connect
  jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca: certificates.ca }, ...rest])
  })
}

// `SOAK=1` takes as many as the list of section 8-B asks for.
const TIMES = process.env['SOAK'] === '1' ? 20 : 3

const AT = ['exchange', 'profile'] as const

/** The fault meets the connection of the exchange, or the new one that the profile request needs. */
async function expectUnreachable(
  at: (typeof AT)[number],
  breakIt: () => unknown,
  mend: () => unknown,
  times = 1,
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const fallen = await bench.fall(
      at === 'exchange' ? breakIt : () => bench.raw.armAfterExchange(breakIt),
      at === 'exchange',
    )
    expect(fallen.outcome).toBe('provider_unreachable')
    expect(fallen.answer.status).toBe(OUTCOMES.provider_unreachable.status)
    expect(fallen.requests).toEqual(at === 'exchange' ? [] : ['authorize'])
    expect(fallen.leaks).toEqual([])
    await mend()
  }
  expect(await bench.goodLogin()).toBe(200)
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

describe.each(badCertificates)('a provider with %s', (_, bad) => {
  test.each(AT)(
    'is out of reach at the %s, gets no byte of a request, and is good again when it has mended',
    async (at) => {
      trustTheAuthority()
      bench = await FaultBench.start(await RawProvider.start(certificates.good))
      expect(await bench.goodLogin()).toBe(200)
      const breakIt = () => bench.raw.certify(bad(certificates))
      await expectUnreachable(at, breakIt, () => bench.raw.certify(certificates.good), TIMES)
    },
  )
})

test('without the authority of the tests even the good certificate is refused', async () => {
  bench = await FaultBench.start(await RawProvider.start(certificates.good))
  const fallen = await bench.fall(() => {})
  expect([fallen.outcome, fallen.requests]).toEqual(['provider_unreachable', []])
})

describe.each(AT)('at the %s', (at) => {
  test('a port where nobody listens any more is out of reach', async () => {
    bench = await FaultBench.start(await RawProvider.start())
    await expectUnreachable(
      at,
      () => bench.raw.refuse(),
      () => bench.raw.listen(),
      TIMES,
    )
  })

  test('a connection that is reset as soon as it is open is out of reach', async () => {
    bench = await FaultBench.start(await RawProvider.start())
    await expectUnreachable(
      at,
      () => bench.raw.greetWith((socket) => socket.resetAndDestroy()),
      () => {},
      TIMES,
    )
  })

  test('a name that DNS does not know is out of reach', async () => {
    const raw = await RawProvider.start()
    const host = 'provider.localhost'
    let isKnown = true
    const { lookup } = dns
    jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
      const [name, ...rest] = args
      const answer = args.at(-1)
      if (name !== host || isKnown || typeof answer !== 'function') {
        return Reflect.apply(lookup, dns, [name === host ? 'localhost' : name, ...rest])
      }
      answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }))
    })
    bench = await FaultBench.start(raw, 'session', raw.baseURL.replace('localhost', host))
    const know = (known: boolean) => () => {
      isKnown = known
    }
    await expectUnreachable(at, know(false), know(true), TIMES)
  })

  test('a TLS handshake that is cut is out of reach', async () => {
    trustTheAuthority()
    bench = await FaultBench.start(await RawProvider.start(certificates.good))
    await expectUnreachable(
      at,
      () => bench.raw.cutHandshakes(true),
      () => bench.raw.cutHandshakes(false),
      TIMES,
    )
  })
})

test('plain HTTP on the TLS port is out of reach', async () => {
  const raw = await RawProvider.start()
  bench = await FaultBench.start(raw, 'session', raw.baseURL.replace('http:', 'https:'))
  const fallen = await bench.fall(() => raw.greetWith((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), true)
  expect([fallen.outcome, fallen.requests, fallen.leaks]).toEqual(['provider_unreachable', [], []])
})

test('TLS on the plain port is no proper answer or no connection at all', async () => {
  trustTheAuthority()
  const raw = await RawProvider.start(certificates.good)
  bench = await FaultBench.start(raw, 'session', raw.baseURL.replace('https:', 'http:'))
  const fallen = await bench.fall(() => {})
  expect(['provider_unreachable', 'provider_bad_response']).toContain(fallen.outcome)
  expect([fallen.requests, fallen.leaks]).toEqual([[], []])
})
