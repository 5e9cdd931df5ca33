import {
  confirmationAfter,
  isUsedByAnotherKey,
  remainderOf,
  withUsedKey,
} from '../../../../lib/login/pending-login/consumed'
import { parsePendingLogin } from '../../../../lib/login/pending-login/pending-login'
import { newPendingLogin } from '../../../support/pending-login'

test('a used record tells its own key from others, and does not reveal it', () => {
  const record = newPendingLogin()
  const used = withUsedKey(record, 'key-canary')
  expect(JSON.stringify(used)).not.toContain('canary')
  expect([record, used].map((each) => isUsedByAnotherKey(each, 'key-canary'))).toEqual([false, false])
  expect([record, used].map((each) => isUsedByAnotherKey(each, 'other'))).toEqual([false, true])
  expect(parsePendingLogin(JSON.parse(JSON.stringify(used)))).toEqual(used)
  expect(parsePendingLogin({ ...record, usedKey: 7 })).toStrictEqual(record)
})

test('what is left of a login after it tells which login and key it was, and not where it led or who was signed in', () => {
  const used = withUsedKey(newPendingLogin({ user: 'u', returnTo: '/inbox', state: 'cart-7' }), 'key')
  const { returnTo: _, state: _state, ...rest } = used
  expect(remainderOf(used)).toStrictEqual({ ...rest, user: null, startSite: null, consumed: true })
})

test('a start within ten seconds of a login that was bound to its tab needs a confirmation, which no other login has', () => {
  const [used, other] = [newPendingLogin({ tabSecret: 's' }), newPendingLogin({ tabSecret: 's' })]
  const at = (seconds: number, record = used) => confirmationAfter({ ...record, usedAt: Date.now() - seconds * 1000 })
  jest.useFakeTimers()
  try {
    expect(at(10)).toEqual(expect.any(String))
    expect(at(0)).toBe(at(10))
    expect(at(10, other)).not.toBe(at(10))
    expect([at(10.001), at(0, newPendingLogin()), confirmationAfter(used)]).toEqual([undefined, undefined, undefined])
  } finally {
    jest.useRealTimers()
  }
})
