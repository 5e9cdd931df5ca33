import { MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from '../../../lib/login/pending-login'
import { UsedLogins } from '../../../lib/login/used-logins'

const consumed = Promise.resolve()

afterEach(() => {
  jest.useRealTimers()
})

test('the same key of the same record shares the running login', async () => {
  const logins = new UsedLogins<string>()
  const first = logins.run('record', 'key', consumed, async () => 'user')
  expect(logins.join('record', 'key')?.result).toBe(first)
  await expect(first).resolves.toBe('user')
})

test('another key, another record or a finished login is not shared', async () => {
  const logins = new UsedLogins<string>()
  const first = logins.run('record', 'key', consumed, async () => 'user')
  expect(logins.join('record', 'other key')).toBeUndefined()
  expect(logins.join('other record', 'key')).toBeUndefined()
  await first
  expect(logins.join('record', 'key')).toBeUndefined()
})

test('a record stays used after its login, successful or not', async () => {
  const logins = new UsedLogins<string>()
  await logins.run('good', 'key', consumed, async () => 'user')
  const failed = logins.run('bad', 'key', consumed, () => Promise.reject(new Error('refused')))
  expect(logins.has('bad')).toBe(true)
  await expect(failed).rejects.toThrow('refused')
  expect([logins.has('good'), logins.has('bad'), logins.has('new')]).toEqual([true, true, false])
  expect(logins.join('bad', 'key')).toBeUndefined()
})

test('both callbacks of a double click get the failure of their login', async () => {
  const logins = new UsedLogins<string>()
  const login = logins.run('record', 'key', consumed, () => Promise.reject(new Error('refused')))
  const shared = logins.join('record', 'key')?.result
  const results = await Promise.allSettled([login, shared])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a record that was forgotten can be used again, and its new login outlives the end of the old one', async () => {
  const logins = new UsedLogins<string>()
  let endOld = (): void => {}
  const old = logins.run('record', 'key', consumed, () => new Promise((resolve) => (endOld = () => resolve('old'))))
  logins.forget('record')
  expect(logins.has('record')).toBe(false)
  const latest = logins.run('record', 'key', consumed, () => new Promise(() => {}))
  endOld()
  await expect(old).resolves.toBe('old')
  expect(logins.join('record', 'key')?.result).toBe(latest)
})

test('used records are forgotten once they have expired', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  await logins.run('old', 'key', consumed, async () => 'user')
  // A machine whose clock is ahead may have created the record; its last millisecond counts.
  jest.advanceTimersByTime(MAX_AGE_MS + MAX_CLOCK_SKEW_MS)
  await logins.run('next', 'key', consumed, async () => 'user')
  expect(logins.has('old')).toBe(true)
  jest.advanceTimersByTime(1)
  await logins.run('last', 'key', consumed, async () => 'user')
  expect([logins.has('old'), logins.has('next'), logins.has('last')]).toEqual([false, true, true])
})

test('no used record is forgotten while it could be used again, however many follow', async () => {
  const logins = new UsedLogins<string>()
  for (let count = 0; count <= 20_000; count++) await logins.run(`record ${count}`, 'key', consumed, async () => 'user')
  expect([logins.has('record 0'), logins.has('record 10000'), logins.has('record 20000')]).toEqual([true, true, true])
})

test('setting the clock ahead and back neither forgets nor retains a record', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  const now = Date.now()
  jest.setSystemTime(now + 365 * 24 * 60 * 60 * 1000)
  await logins.run('first', 'key', consumed, async () => 'user')
  jest.setSystemTime(now)
  await logins.run('second', 'key', consumed, async () => 'user')
  expect([logins.has('first'), logins.has('second')]).toEqual([true, true])
  jest.advanceTimersByTime(MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1)
  await logins.run('third', 'key', consumed, async () => 'user')
  expect([logins.has('first'), logins.has('second')]).toEqual([false, false])
})

test('eight callbacks share a login, and no more', () => {
  const logins = new UsedLogins<string>()
  void logins.run('record', 'key', consumed, () => new Promise(() => {}))
  const shared = Array.from({ length: 10 }, () => logins.join('record', 'key'))
  expect(shared.filter((login) => login !== undefined)).toHaveLength(8)
})

test('expired records are forgotten a hundred at a time, so that no login waits for all of them', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  for (let count = 0; count < 150; count++) await logins.run(`record ${count}`, 'key', consumed, async () => 'user')
  jest.advanceTimersByTime(MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1)
  await logins.run('next', 'key', consumed, async () => 'user')
  expect([logins.has('record 99'), logins.has('record 100')]).toEqual([false, true])
  await logins.run('last', 'key', consumed, async () => 'user')
  expect(logins.has('record 149')).toBe(false)
})

test('neither keys nor users of finished logins are kept', async () => {
  const logins = new UsedLogins<{ name: string }>()
  const user = { name: 'user' }
  const reference = new WeakRef(user)
  await logins.run('record', 'key-canary', consumed, async () => user)
  expect(reference.deref()).toBe(user)
  expect(JSON.stringify(logins)).not.toContain('canary')
})
