import fc from 'fast-check'
import { SocialLoginClient, SocialLoginError } from '../../lib'
import { MAX_PROFILE_SENDS } from '../../lib/limits'
import { findSecrets } from '../support/canaries'
import { answer, goodBody, RAW_MARKER, RAW_TOKEN, RawProvider } from '../support/raw-provider'
import { runs } from '../support/runs'

const SECRET = 'secret-canary-90aa'
let provider: RawProvider
let client: SocialLoginClient

beforeAll(async () => {
  provider = await RawProvider.start()
  client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'id', clientSecret: SECRET, timeout: 5000 })
})
afterAll(async () => {
  await provider.stop()
  await client.close()
})

const chunked = (body: string): Buffer =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  )
const valid = fc.constantFrom(...(['authorize', 'user/me'] as const)).chain((endpoint) =>
  fc.record({
    endpoint: fc.constant(endpoint),
    bytes: fc.constantFrom(
      answer(goodBody(endpoint)),
      chunked(goodBody(endpoint)),
      answer(goodBody(endpoint), 'keep-alive: timeout=5\r\n'),
    ),
  }),
)
const insert = fc.constantFrom(
  ...['\r\n', '\r', '\n', '\0', ' ', ':', '\t', 'HTTP/1.1 200 OK\r\n', 'content-length: 3\r\n', '\xff', '0', '{', '"'],
)
const change = fc.tuple(fc.constantFrom('flip', 'drop', 'insert', 'cut', 'repeat'), fc.nat(400), fc.nat(255), insert)

function mutate(bytes: Buffer, [kind, where, byte, text]: [string, number, number, string]): Buffer {
  const at = where % (bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  if (kind === 'flip') return Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (byte || 1)), after.subarray(1)])
  if (kind === 'drop') return Buffer.concat([before, after.subarray(1 + (byte % 8))])
  if (kind === 'cut') return before
  return Buffer.concat([before, kind === 'insert' ? Buffer.from(text, 'latin1') : before.subarray(-20), after])
}

const tried = runs(3000, 100_000)
test(`${tried.numRuns} valid answers with bytes changed (seed ${tried.seed}) give an outcome of the table, and the next response is intact`, async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(valid, fc.array(change, { minLength: 1, maxLength: 3 }), async ({ endpoint, bytes }, changes) => {
      // Closes the connection, so that a response that promises more does not wait for the deadline.
      provider.failNext(endpoint, (socket) => socket.end(changes.reduce(mutate, bytes)), MAX_PROFILE_SENDS)
      const asked: Promise<unknown> =
        endpoint === 'authorize' ? client.exchangeAuthKey('key') : client.getCurrentUser('token')
      const error = await asked.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      seen.add(error instanceof SocialLoginError ? error.code : 'success')
      if (error !== undefined) {
        expect(error).toBeInstanceOf(SocialLoginError)
        expect(error).not.toHaveProperty('code', 'provider_timeout')
        expect(findSecrets([SECRET, RAW_TOKEN, RAW_MARKER], { error })).toStrictEqual([])
      }
      provider.clear()
    }),
    tried,
  )
  expect([...seen]).toEqual(expect.arrayContaining(['success', 'provider_bad_response', 'provider_unreachable']))
  expect(await client.exchangeAuthKey('key')).toEqual({ access_token: RAW_TOKEN })
}, 1_200_000)
