import {
  type CallbackContext,
  checkCallback,
  createPendingLogin,
  digest,
  isUsedByAnotherKey,
  type PendingLogin,
  parsePendingLogin,
  remainderOf,
  SILENT_APPROVAL_MS,
  summaryOf,
  withUsedKey,
} from '../../../../lib/login/pending-login/pending-login'
import { parseReturnPath } from '../../../../lib/login/pending-login/return-path'
import { failureOf } from '../../../support/options'

const callback = (strategyDigest: string, user: string | undefined): CallbackContext => ({
  strategyDigest,
  user,
  fetchSite: 'cross-site',
  referer: 'absent',
  tabSecret: undefined,
})

const input = { strategyDigest: 'strategy', user: undefined, startSite: undefined }

afterEach(() => {
  jest.useRealTimers()
})

function laterBy(record: PendingLogin, milliseconds: number): ReturnType<typeof checkCallback> {
  jest.useFakeTimers({ now: record.issuedAt + milliseconds, doNotFake: ['nextTick', 'setImmediate'] })
  return checkCallback(record, callback('strategy', undefined))
}

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
    returnTo: '/inbox?a=1#b',
    state,
  }
  const record = createPendingLogin(given)
  expect(record).toMatchObject({
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
  const resembling = createPendingLogin({ ...input, isCallbackSuffix: true })
  expect(resembling.startIsCallbackSuffix).toBe(true)
  expect(parsePendingLogin(JSON.parse(JSON.stringify(resembling)))).toEqual(resembling)
  const other = createPendingLogin({ ...input, isCallbackSuffix: false })
  expect(other).not.toHaveProperty('startIsCallbackSuffix')
  expect(parsePendingLogin({ ...other, startIsCallbackSuffix: false })).toStrictEqual(other)
})

test('the summary of a record has its times and return path, and nothing else', () => {
  const record = createPendingLogin({ ...input, user: 'u', state: 'secret', returnTo: '/inbox' })
  const startedAt = new Date(record.issuedAt)
  const expiresAt = new Date(record.issuedAt + 600_000)
  expect(summaryOf(record)).toStrictEqual({ startedAt, expiresAt, returnTo: '/inbox' })
  const { returnTo: _, ...without } = record
  expect(summaryOf(without)).toStrictEqual({ startedAt, expiresAt })
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

test.each([...[undefined, null, true, 0, 1, '', 'x', [], {}, [createPendingLogin(input)], () => {}], ...broken])(
  'the broken record number %# is rejected',
  (value) => {
    expect(parsePendingLogin(value)).toBeUndefined()
  },
)

test('other members of a stored record are dropped, and its return path is checked again', () => {
  const record = createPendingLogin(input)
  const planted = { ...record, returnTo: '//evil.example', consumed: 'yes', tab: 7, isAdmin: true }
  expect(parsePendingLogin(planted)).toStrictEqual(record)
})

test.each([
  [0, undefined],
  [600_000, undefined],
  [600_001, 'login_expired'],
  [24 * 3_600_000, 'login_expired'],
  [-1, undefined],
  [-60_000, undefined],
  [-60_001, 'login_expired'],
  [-60 * 60_000, 'login_expired'],
])('a record %d milliseconds old is refused with %s', (age, refusal) => {
  expect(laterBy(createPendingLogin(input), age)).toBe(refusal)
})

test('a record of another strategy is refused first, whatever its age', () => {
  const record = { ...createPendingLogin(input), issuedAt: 0 }
  expect(checkCallback(record, callback('other', undefined))).toBe('context_mismatch')
  expect(checkCallback(record, callback('strategy', undefined))).toBe('login_expired')
})

test.each([
  [undefined, undefined, undefined],
  ['a', 'a', undefined],
  [undefined, 'a', 'user_changed'],
  ['a', undefined, 'user_changed'],
  ['a', 'b', 'user_changed'],
  ['a', 'A', 'user_changed'],
  ['', undefined, 'user_changed'],
])('a login started by %j and finished by %j is refused with %s', (starter, finisher, refusal) => {
  const record = createPendingLogin({ ...input, user: starter })
  expect(checkCallback(record, callback('strategy', finisher))).toBe(refusal)
})

test('a callback that was typed finishes only a login that was typed', () => {
  const typed = { ...callback('strategy', undefined), fetchSite: 'none' }
  expect(checkCallback(createPendingLogin({ ...input, startSite: 'same-origin' }), typed)).toBe('callback_forged')
  expect(checkCallback(createPendingLogin({ ...input, startSite: 'none' }), typed)).toBeUndefined()
})

// WebKit says `none` of a reload, of Back and of Forward, with the Referer of the first time.
test.each(['provider', 'app'] as const)(
  'a callback that is requested again, with the Referer of the %s, was not typed',
  (referer) => {
    const record = createPendingLogin({ ...input, startSite: 'same-origin' })
    const again: CallbackContext = { ...callback('strategy', undefined), fetchSite: 'none', referer }
    expect(checkCallback(record, again)).toBeUndefined()
  },
)

test('a callback that is requested again later than a silent approval, with the Referer of the application, is refused', () => {
  const record = createPendingLogin({ ...input, startSite: 'same-origin' })
  jest.useFakeTimers({ now: record.issuedAt + SILENT_APPROVAL_MS + 1, doNotFake: ['nextTick', 'setImmediate'] })
  const again: CallbackContext = { ...callback('strategy', undefined), fetchSite: 'none', referer: 'app' }
  expect(checkCallback(record, again)).toBe('callback_forged')
})

test.each([
  ['the secret of the tab', 'secret', undefined],
  ['another secret', 'other', 'tab_mismatch'],
  ['no secret', '', 'tab_mismatch'],
])('a record of a tab, finished with %s', (_title, tabSecret, refusal) => {
  const record = createPendingLogin({ ...input, tabSecret: 'secret' })
  expect(checkCallback(record, { ...callback('strategy', undefined), tabSecret })).toBe(refusal)
})

test('the application’s own Referer is accepted for 30 seconds, or with the secret of the tab', () => {
  const record = { ...createPendingLogin({ ...input, tabSecret: 'secret' }), issuedAt: 1_000_000 }
  const at = (age: number, more: Partial<CallbackContext> = {}) => {
    jest.useFakeTimers({ now: record.issuedAt + age, doNotFake: ['nextTick', 'setImmediate'] })
    return checkCallback(record, { ...callback('strategy', undefined), referer: 'app', ...more })
  }
  expect(SILENT_APPROVAL_MS).toBe(30_000)
  expect([at(0), at(30_000), at(30_001)]).toEqual([undefined, undefined, 'callback_forged'])
  expect(at(30_001, { tabSecret: 'secret' })).toBeUndefined()
  expect(at(30_001, { referer: 'absent' })).toBeUndefined()
  expect(at(30_001, { referer: 'provider' })).toBeUndefined()
})

test('digests of different lists of texts differ', () => {
  const lists = [[], [''], ['', ''], ['a', 'b'], ['ab'], ['a,b'], ['a","b'], ['b', 'a'], ['a', 'b', '']]
  expect(new Set(lists.map((texts) => digest(...texts))).size).toBe(lists.length)
})

test.each([null, true, 0, 'text', [], {}, { a: [{ b: null }] }, 'x'.repeat(1022)])(
  'the state number %# is returned',
  (state) => {
    expect(createPendingLogin({ ...input, state })).toHaveProperty('state', state)
  },
)

const circular: Record<string, unknown> = {}
circular['canary'] = circular

const noSmallJSON = [() => {}, Symbol('x'), 1n, circular, 'x'.repeat(1023), 'é'.repeat(600), { a: 'x'.repeat(2000) }]

test.each(noSmallJSON)('the state number %# is a TypeError that names the option', (state) => {
  const { message } = failureOf(() => createPendingLogin({ ...input, state }))
  expect(message).toBe('state must be JSON of at most 1,024 bytes')
})

test('a record without state or return path has no such members', () => {
  expect(Object.keys(createPendingLogin({ ...input, state: undefined, returnTo: '//evil.example' }))).toEqual([
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
  expect(parsePendingLogin({ ...createPendingLogin(input), startPath })?.startPath).toBe(made.startPath)
})

test('a used record tells its own key from others, and does not reveal it', () => {
  const record = createPendingLogin(input)
  const used = withUsedKey(record, 'key-canary')
  expect(JSON.stringify(used)).not.toContain('canary')
  expect([record, used].map((each) => isUsedByAnotherKey(each, 'key-canary'))).toEqual([false, false])
  expect([record, used].map((each) => isUsedByAnotherKey(each, 'other'))).toEqual([false, true])
  expect(parsePendingLogin(JSON.parse(JSON.stringify(used)))).toEqual(used)
  expect(parsePendingLogin({ ...record, usedKey: 7 })).toStrictEqual(record)
})

test('what is left of a login after it has neither its return path nor its state', () => {
  const used = withUsedKey(createPendingLogin({ ...input, user: 'u', returnTo: '/inbox', state: 'cart-7' }), 'key')
  const { returnTo: _, state: _state, ...rest } = used
  expect(remainderOf(used)).toStrictEqual({ ...rest, consumed: true })
})
