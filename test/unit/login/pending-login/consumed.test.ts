import { checkCallback } from '../../../../lib/login/pending-login/check'
import { isUsedByAnotherKey, remainderOf, withUsedKey } from '../../../../lib/login/pending-login/consumed'
import { parsePendingLogin } from '../../../../lib/login/pending-login/pending-login'
import { newCallback, newPendingLogin } from '../../../support/pending-login'

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
  const input = { user: 'u', returnTo: '/inbox', state: 'cart-7', startPath: '/login', tabSecret: 's' }
  const used = withUsedKey(newPendingLogin(input), 'key')
  const { id, usedKey } = used
  expect(remainderOf(used)).toStrictEqual({
    ...{ id, strategyDigest: 'strategy', consumed: true },
    ...{ usedKey, startPath: '/login' },
  })
  // Nothing else, not even undefined, which some stores of sessions refuse to keep.
  const suffix = newPendingLogin({ isCallbackSuffix: true })
  expect(remainderOf(suffix)).toStrictEqual({
    ...{ id: suffix.id, strategyDigest: 'strategy', consumed: true },
    startIsCallbackSuffix: true,
  })
})

test('what is left of a login is read as a consumed record, and what of another login lacks as much is none', () => {
  const used = withUsedKey(newPendingLogin(), 'key')
  const left = parsePendingLogin(JSON.parse(JSON.stringify(remainderOf(used))))
  expect(left).toMatchObject({ id: used.id, consumed: true, usedKey: used.usedKey })
  expect(left && checkCallback(left, newCallback())).toBe('login_expired')
  for (const consumed of [undefined, false, 'true', 1]) {
    expect(parsePendingLogin({ ...remainderOf(used), consumed })).toBeUndefined()
  }
})
