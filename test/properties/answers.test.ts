import fc from 'fast-check'
import { findSecrets } from '../support/canaries'
import { runs } from '../support/runs'
import { answeringClient, valueOrCode } from './answering-client'

const MARKER = 'body-canary-4be1'
const SECRETS = [MARKER, 'secret-canary']

let body: string | Uint8Array = ''
const client = answeringClient(() => body)

const oddText = fc.constantFrom(
  ...['', 'a', MARKER, '1', '0', '-1', '1.5', '1e0', '007', 'null', 'undefined', 'true', '__proto__', 'constructor'],
  ...['\u0000', '\r\nx: y', 'é', '\ud800', 'x'.repeat(4096), 'x'.repeat(4097), '9007199254740993', '[object Object]'],
)
const number = fc.oneof(
  fc.constantFrom('0', '-0', '1', '-1', '1.5', '1e3', '1E400', '9007199254740993', '1'.repeat(128), '1'.repeat(129)),
  fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String),
)
const text = fc.oneof(oddText, fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 8 }))
const literal = fc.oneof(
  { weight: 3, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: number },
  fc.constantFrom('null', 'true', 'false', '[]', '{}', '["a"]', '{"user_id":"1"}'),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
)
const name = fc.constantFrom('access_token', 'user_id', 'error', 'data', 'user_info', '__proto__', 'user_name', MARKER)
const member = fc.tuple(name, literal).map(([key, value]) => `${JSON.stringify(key)}:${value}`)
const object = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join()}}`)
const nested = fc.tuple(name, object).map(([key, value]) => `{${JSON.stringify(key)}:${value}}`)
const anyBody = fc.oneof(
  { weight: 6, arbitrary: object },
  { weight: 2, arbitrary: nested },
  literal,
  fc
    .tuple(object, fc.constantFrom(' ', '\ufeff', ',', '{}', '//x', '\u0000'), fc.boolean())
    .map(([json, junk, front]) => (front ? junk + json : json + junk)),
  fc.tuple(object, fc.nat(80)).map(([json, at]) => json.slice(0, at)),
  fc.uint8Array({ maxLength: 60 }),
)

/** The text parsed by the runtime, or undefined: independent of the client's parser. */
function platformJSON(bytes: string | Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes)))
  } catch {
    return undefined
  }
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

/** The record with the id: the body itself, or one level below. */
function recordIn(answer: unknown): unknown {
  return [answer, own(answer, 'user_info'), own(answer, 'data')].find((record) => own(record, 'user_id') !== undefined)
}

function show(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('latin1')
}

const tokens = runs(10_000, 200_000)
test(`${tokens.numRuns} token bodies (seed ${tokens.seed}): a token is exactly the text that was sent, or there is none`, async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (sent) => {
      body = sent
      const result = await valueOrCode(() => client.exchangeAuthKey('key'))
      if ('error' in result) {
        expect(['auth_key_rejected', 'provider_bad_response']).toContain(result.code)
        if (show(sent).includes(MARKER)) expect(findSecrets(SECRETS, { error: result.error })).toStrictEqual([])
        return
      }
      const parsed = platformJSON(sent)
      const value = own(parsed, 'access_token')
      if (typeof value === 'number') expect(show(sent)).toContain(result.value.access_token)
      else expect(result.value.access_token).toBe(value)
      expect(result.value.access_token).toMatch(/^[!-~]{1,4096}$/)
      expect(own(parsed, 'error')).not.toBe(true)
      expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype)
    }),
    {
      ...tokens,
      examples: [
        ['{"access_token":"a","__proto__":{"access_token":"b"}}'],
        ['\ufeff{"access_token":"a"}'],
        ['{"access_token":1.50}'],
      ],
    },
  )
}, 1_200_000)

const profiles = runs(10_000, 200_000)
test(`${profiles.numRuns} profile bodies (seed ${profiles.seed}): an id is exactly the text that was sent, or there is none`, async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (sent) => {
      body = sent
      const result = await valueOrCode(() => client.fetchUser('user/me', 'token'))
      if ('error' in result) {
        expect(['profile_invalid', 'profile_unauthorized', 'provider_bad_response']).toContain(result.code)
        if (show(sent).includes(MARKER)) expect(findSecrets(SECRETS, { error: result.error })).toStrictEqual([])
        return
      }
      const id = result.value.user.user_id
      expect(id).toMatch(/^[\w.:-]{1,128}$/)
      const sentID = own(recordIn(platformJSON(sent)), 'user_id')
      // JSON.parse has rounded the number; its digits are in the text.
      expect(typeof sentID === 'number' ? show(sent).includes(`"user_id":${id}`) : sentID === id).toBe(true)
      expect(own(platformJSON(sent), 'error')).not.toBe(true)
      expect(Object.getPrototypeOf(result.value.json)).toBe(Object.prototype)
    }),
    { ...profiles, examples: [['{"data":{"user_id":"1"},"user_info":{}}']] },
  )
  expect(Object.hasOwn(Object.prototype, 'user_id')).toBe(false)
}, 1_200_000)

const idText = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9._:-]{1,12}$/),
  fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String),
  fc.constantFrom(
    '9007199254740992',
    '9007199254740993',
    '1',
    '01',
    '1.0',
    '1.00',
    '10.0',
    '1.01',
    'a',
    'A',
    '10',
    '1e1',
  ),
)
interface Id {
  readonly id: string
  /** The literal in the response. */
  readonly json: string
}
const idLiteral: fc.Arbitrary<Id> = fc
  .tuple(idText, fc.boolean())
  // A number has the same id in every notation: 1.0 is 1. A text is what it is.
  .map(([id, quoted]) =>
    quoted ? { id, json: JSON.stringify(id) } : { id: id.replace(/^(\d+)\.0+$/, '$1'), json: id },
  )
const bare = (id: bigint): Id => ({ id: String(id), json: String(id) })
// Neighbours: ids that a float, a trim or a case fold would make equal.
const pair = fc.oneof(
  fc.tuple(idLiteral, idLiteral),
  fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }).map((id): [Id, Id] => [bare(id), bare(id + 1n)]),
  idLiteral.map((one): [Id, Id] => [one, { id: one.id.toUpperCase(), json: JSON.stringify(one.id.toUpperCase()) }]),
)

const ids = runs(50_000, 500_000)
test(`${ids.numRuns} pairs of ids (seed ${ids.seed}): two people never become one`, async () => {
  const read = async (json: string): Promise<string | undefined> => {
    body = `{"user_id":${json}}`
    const result = await valueOrCode(() => client.fetchUser('user/me', 'token'))
    return 'value' in result ? result.value.user.user_id : undefined
  }
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(pair, async ([one, other]) => {
      const [first, second] = [await read(one.json), await read(other.json)]
      if (first === undefined || second === undefined) return
      accepted += 1
      expect(first === second).toBe(one.id === other.id)
    }),
    ids,
  )
  expect(accepted).toBeGreaterThan(ids.numRuns / 10)
}, 1_200_000)
