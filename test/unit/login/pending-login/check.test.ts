import { SILENT_APPROVAL_MS } from '../../../../lib/limits'
import { checkCallback, isOwnCallback } from '../../../../lib/login/pending-login/check'
import type { PendingLogin } from '../../../../lib/login/pending-login/pending-login'
import type { CallbackRequest } from '../../../../lib/login/request/request'
import { newCallback, newContext, newPendingLogin } from '../../../support/pending-login'

afterEach(() => {
  jest.useRealTimers()
})

function laterBy(record: PendingLogin, milliseconds: number): ReturnType<typeof checkCallback> {
  jest.useFakeTimers({ now: record.issuedAt + milliseconds, doNotFake: ['nextTick', 'setImmediate'] })
  return checkCallback(record, newCallback(), newContext())
}

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
  expect(laterBy(newPendingLogin(), age)).toBe(refusal)
})

test('a record of another strategy is refused first, whatever its age', () => {
  const record = { ...newPendingLogin(), issuedAt: 0 }
  expect(checkCallback(record, newCallback(), newContext({ strategyDigest: 'other' }))).toBe('context_mismatch')
  expect(checkCallback(record, newCallback(), newContext())).toBe('login_expired')
})

test.each([
  ['of another user', {}, { user: 'a' }, 'user_changed'],
  ['that was typed', { fetchSite: 'none' }, {}, 'callback_forged'],
  ['of another tab', { fetchSite: 'same-origin', tabSecret: 'other' }, {}, 'tab_mismatch'],
] as const)('a callback %s is refused for that, even if it is too late', (_title, callback, context, refusal) => {
  const record = { ...newPendingLogin(), issuedAt: 0 }
  expect(checkCallback(record, newCallback(callback), newContext(context))).toBe(refusal)
  expect(isOwnCallback(refusal)).toBe(false)
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
  const record = newPendingLogin({ user: starter })
  expect(checkCallback(record, newCallback(), newContext({ user: finisher }))).toBe(refusal)
})

test('a callback that was typed finishes only a login that was typed', () => {
  const typed = newCallback({ fetchSite: 'none' })
  expect(checkCallback(newPendingLogin(), typed, newContext())).toBe('callback_forged')
  expect(checkCallback(newPendingLogin({ startSite: 'none' }), typed, newContext())).toBeUndefined()
})

// WebKit says `none` of a reload, of Back and of Forward, with the Referer of the first time.
test.each(['provider', 'app'] as const)(
  'a callback that is requested again, with the Referer of the %s, was not typed',
  (referer) => {
    const record = newPendingLogin()
    const again = newCallback({ fetchSite: 'none', referer })
    expect(checkCallback(record, again, newContext())).toBeUndefined()
  },
)

test('a callback that is requested again later than a silent approval, with the Referer of the application, is refused', () => {
  const record = newPendingLogin()
  jest.useFakeTimers({ now: record.issuedAt + SILENT_APPROVAL_MS + 1, doNotFake: ['nextTick', 'setImmediate'] })
  const again = newCallback({ fetchSite: 'none', referer: 'app' })
  expect(checkCallback(record, again, newContext())).toBe('callback_forged')
})

test.each([
  ['the secret of the tab', 'secret', undefined],
  ['another secret', 'other', 'tab_mismatch'],
  ['no secret', '', 'tab_mismatch'],
])('a record of a tab, finished with %s', (_title, tabSecret, refusal) => {
  const record = newPendingLogin({ tabSecret: 'secret' })
  expect(checkCallback(record, newCallback({ tabSecret, fetchSite: 'same-origin' }), newContext())).toBe(refusal)
})

test('the application’s own Referer is accepted for 30 seconds, or with the secret of the tab', () => {
  const record = { ...newPendingLogin({ tabSecret: 'secret' }), issuedAt: 1_000_000 }
  const at = (age: number, more: Partial<CallbackRequest> = {}) => {
    jest.useFakeTimers({ now: record.issuedAt + age, doNotFake: ['nextTick', 'setImmediate'] })
    return checkCallback(record, newCallback({ referer: 'app', ...more }), newContext())
  }
  expect(SILENT_APPROVAL_MS).toBe(30_000)
  expect([at(0), at(30_000), at(30_001)]).toStrictEqual([undefined, undefined, 'callback_forged'])
  expect(at(30_001, { tabSecret: 'secret', source: 'app' })).toBeUndefined()
  expect(at(30_001, { referer: 'absent' })).toBeUndefined()
  expect(at(30_001, { referer: 'provider' })).toBeUndefined()
})
