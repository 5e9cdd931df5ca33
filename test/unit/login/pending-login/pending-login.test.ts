import { SocialLoginError } from '../../../../lib/errors'
import {
  createPendingLogin,
  digest,
  parsePendingLogin,
  withStartPath,
} from '../../../../lib/login/pending-login/pending-login'
import { parseReturnPath } from '../../../../lib/login/pending-login/return-path'
import { failureOf } from '../../../support/options'

const input = { strategyDigest: 'strategy', user: undefined, startSite: undefined }

test('a record without a user contains 128 random bits, its strategy and its time', () => {
  const before = Date.now()
  const record = createPendingLogin(input)
  expect(record).toEqual({
    id: expect.stringMatching(/^[\w-]{22}$/),
    strategyDigest: 'strategy',
    issuedAt: expect.any(Number),
    user: null,
    startSite: null,
  })
  expect(record.issuedAt).toBeGreaterThanOrEqual(before)
  expect(record.issuedAt).toBeLessThanOrEqual(Date.now())
})

test('no two records have the same id', () => {
  expect(new Set(Array.from({ length: 1000 }, () => createPendingLogin(input).id)).size).toBe(1000)
})

test('a record names its user by a salted digest only', () => {
  const [one, other] = [1, 2].map(() => createPendingLogin({ ...input, user: '"user-canary"' }))
  expect(JSON.stringify([one, other])).not.toContain('canary')
  expect(one?.user).toEqual(expect.any(String))
  expect(one?.user).not.toBe(other?.user)
})

test('a record survives a round trip through JSON, consumed or not', () => {
  const state = { a: [1, 'x', null, { b: true }] }
  const given = {
    ...input,
    user: 'u',
    startSite: 'same-origin',
    tabSecret: 'secret',
    startPath: '/auth?a=1',
    returnTo: '/inbox?a=1#b',
    state,
  }
  const record = createPendingLogin(given)
  expect(record).toMatchObject({
    startPath: '/auth?a=1',
    returnTo: '/inbox?a=1#b',
    state,
    startSite: 'same-origin',
    tab: expect.any(String),
  })
  expect(parsePendingLogin(JSON.parse(JSON.stringify(record)))).toEqual(record)
  const consumed = { ...record, consumed: true }
  expect(parsePendingLogin(JSON.parse(JSON.stringify(consumed)))).toEqual(consumed)
})

test('a record tells that its start resembles the callback, and only then', () => {
  const resembling = createPendingLogin({ ...input, isAtCallback: true })
  expect(resembling.startIsAtCallback).toBe(true)
  expect(parsePendingLogin(JSON.parse(JSON.stringify(resembling)))).toEqual(resembling)
  const other = createPendingLogin({ ...input, isAtCallback: false })
  expect(other).not.toHaveProperty('startIsAtCallback')
  expect(parsePendingLogin({ ...other, startIsAtCallback: false })).toStrictEqual(other)
})

test('a digest is 32 bytes in base64url', () => {
  expect(digest('a', 'b')).toMatch(/^[\w-]{43}$/)
})

test.each(['/é'.repeat(170), '/ü?q=ö', `/${'a'.repeat(1023)}`, '/a b', '/"<>', '/😀'.repeat(80)])(
  'the return path number %# of a record is kept when the record is read',
  (returnTo) => {
    const record = createPendingLogin({ ...input, returnTo })
    expect(record.returnTo).toBe(parseReturnPath(returnTo))
    expect(parsePendingLogin(record)).toEqual(record)
  },
)

const broken = [
  ...[{ id: 1 }, { id: undefined }, { strategyDigest: null }, { user: 1 }, { user: undefined }, { startSite: {} }],
  ...[{ issuedAt: '1' }, { issuedAt: null }, { issuedAt: Number.NaN }, { issuedAt: -Infinity }],
].map((change) => ({ ...createPendingLogin(input), ...change }))

test.each([
  ...[undefined, null, true, 0, 1, '', 'x', [], {}, Object.assign([], createPendingLogin(input)), () => {}],
  ...broken,
])('the broken record number %# is rejected', (value) => {
  expect(parsePendingLogin(value)).toBeUndefined()
})

test('other members of a stored record are dropped, and its return path is checked again', () => {
  const record = createPendingLogin(input)
  const planted = { ...record, returnTo: '//evil.example', consumed: 'yes', tab: 7, isAdmin: true }
  expect(parsePendingLogin(planted)).toStrictEqual(record)
})

test('digests of different lists of texts differ', () => {
  const lists = [[], [''], ['', ''], ['a', 'b'], ['ab'], ['a,b'], ['a","b'], ['b', 'a'], ['a', 'b', '']]
  expect(new Set(lists.map((texts) => digest(...texts))).size).toBe(lists.length)
})

test.each([null, true, 0, 'text', [], {}, { a: [{ b: null }] }, 'x'.repeat(1022)])(
  'the state number %# is returned, also once the record was read again',
  (state) => {
    const record = createPendingLogin({ ...input, state })
    expect(record).toHaveProperty('state', state)
    expect(parsePendingLogin(JSON.parse(JSON.stringify(record)))).toStrictEqual(record)
  },
)

const circular: Record<string, unknown> = {}
circular['canary'] = circular

const noSmallJSON = [
  () => {},
  Symbol('x'),
  1n,
  circular,
  Promise.resolve(1),
  'x'.repeat(1023),
  'é'.repeat(600),
  { a: 'x'.repeat(2000) },
]

test.each(noSmallJSON)('the state number %# is a TypeError that names the option', (state) => {
  const { message } = failureOf(() => createPendingLogin({ ...input, state }))
  expect(message).toBe('state must be JSON of at most 1,024 bytes (await a promise)')
})

test('a record without state or return path has no such members', () => {
  expect(Object.keys(createPendingLogin({ ...input, state: undefined, returnTo: '//evil.example' }))).toStrictEqual([
    'id',
    'strategyDigest',
    'issuedAt',
    'user',
    'startSite',
  ])
})

test.each([
  ['/auth?a=1', true],
  [`/${'a'.repeat(255)}`, true],
  [`/${'a'.repeat(256)}`, false],
  ['//evil.example', false],
  ['https://evil.example/', false],
  ['javascript:alert(1)', false],
])('the path of a start is one of this application, of at most 256 characters: %#', (startPath, isKept) => {
  const made = createPendingLogin({ ...input, startPath })
  expect(made.startPath).toBe(isKept ? startPath : undefined)
  // A store of the application's own may have been written by somebody else.
  const error = withStartPath(new SocialLoginError('overloaded', 'exchange'), { ...made, startPath })
  expect(Reflect.get(Object(error), 'startPath')).toBe(made.startPath)
})
