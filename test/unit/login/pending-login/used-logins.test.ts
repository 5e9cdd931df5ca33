import { MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from '../../../../lib/limits'
import { UsedLogins } from '../../../../lib/login/pending-login/used-logins'

/** Uses the record for a login that consumes it at once. */
function run<T>(logins: UsedLogins<T>, record: string, login: () => Promise<T>, authKey = 'key'): Promise<T> {
  return logins.run(record, authKey, (onConsumed) => {
    onConsumed()
    return login()
  })
}

afterEach(() => {
  jest.useRealTimers()
})

test('the same key of the same record shares the running login', async () => {
  const logins = new UsedLogins<string>()
  const first = run(logins, 'record', async () => 'user')
  await expect(logins.attach('record', 'key')?.result).resolves.toBe('user')
  await expect(first).resolves.toBe('user')
})

test('another key, another record or a finished login is not shared', async () => {
  const logins = new UsedLogins<string>()
  const first = run(logins, 'record', async () => 'user')
  expect(logins.attach('record', 'other key')).toBeUndefined()
  expect(logins.attach('other record', 'key')).toBeUndefined()
  await first
  expect(logins.attach('record', 'key')).toBeUndefined()
})

test('a record stays used after its login, successful or not', async () => {
  const logins = new UsedLogins<string>()
  await run(logins, 'good', async () => 'user')
  const failed = run(logins, 'bad', () => Promise.reject(new Error('refused')))
  expect(logins.isUsed({ id: 'bad' })).toBe(true)
  await expect(failed).rejects.toThrow('refused')
  expect([logins.isUsed({ id: 'good' }), logins.isUsed({ id: 'bad' }), logins.isUsed({ id: 'new' })]).toStrictEqual([
    true,
    true,
    false,
  ])
  expect(logins.attach('bad', 'key')).toBeUndefined()
})

test('both callbacks of a double click get the failure of their login', async () => {
  const logins = new UsedLogins<string>()
  const login = run(logins, 'record', () => Promise.reject(new Error('refused')))
  const shared = logins.attach('record', 'key')?.result
  const results = await Promise.allSettled([login, shared])
  expect(results.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
})

test('a record whose login fails before it is consumed can be used again, and those who wait get the failure', async () => {
  const logins = new UsedLogins<string>()
  const first = logins.run('record', 'key', () => Promise.reject(new Error('the store failed')))
  const running = logins.attach('record', 'key')
  expect(logins.isUsed({ id: 'record' })).toBe(true)
  await expect(first).rejects.toThrow('the store failed')
  await expect(Promise.race([running?.consumed, running?.result])).rejects.toThrow('the store failed')
  expect([logins.isUsed({ id: 'record' }), logins.attach('record', 'key')]).toStrictEqual([false, undefined])
  await expect(run(logins, 'record', async () => 'user')).resolves.toBe('user')
})

test('a duplicate learns when the record is consumed, before the login has ended', async () => {
  const logins = new UsedLogins<string>()
  let consume = (): void => {}
  void logins.run('record', 'key', (onConsumed) => {
    consume = onConsumed
    return new Promise(() => {})
  })
  const seen: string[] = []
  const consumed = logins.attach('record', 'key')?.consumed.then(() => seen.push('consumed'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toStrictEqual([])
  consume()
  await consumed
  expect(seen).toStrictEqual(['consumed'])
})

const LIFETIME = MAX_AGE_MS + MAX_CLOCK_SKEW_MS + 1

test('used records are remembered for a lifetime, and for another one at most', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  const use = (record: string): Promise<string> => run(logins, record, async () => 'user')
  jest.advanceTimersByTime(LIFETIME - 1)
  await use('first')
  jest.advanceTimersByTime(1)
  await use('second')
  // A machine whose clock is ahead may have created the record; its last millisecond counts.
  jest.advanceTimersByTime(LIFETIME - 2)
  await use('third')
  expect([logins.isUsed({ id: 'first' }), logins.isUsed({ id: 'second' })]).toStrictEqual([true, true])
  jest.advanceTimersByTime(2)
  await use('fourth')
  expect([
    logins.isUsed({ id: 'first' }),
    logins.isUsed({ id: 'second' }),
    logins.isUsed({ id: 'third' }),
  ]).toStrictEqual([false, true, true])
  jest.advanceTimersByTime(LIFETIME)
  await use('fifth')
  expect([
    logins.isUsed({ id: 'second' }),
    logins.isUsed({ id: 'third' }),
    logins.isUsed({ id: 'fourth' }),
  ]).toStrictEqual([false, false, true])
})

test('after a quiet time all are forgotten at once', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  await run(logins, 'old', async () => 'user')
  jest.advanceTimersByTime(2 * LIFETIME)
  await run(logins, 'new', async () => 'user')
  expect([logins.isUsed({ id: 'old' }), logins.isUsed({ id: 'new' })]).toStrictEqual([false, true])
})

test('a record that becomes unused again a lifetime after it was used is unused', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  let fail = (): void => {}
  const failing = logins.run('one', 'key', () => new Promise((_, reject) => (fail = () => reject(new Error('late')))))
  await run(logins, 'two', async () => 'user')
  jest.advanceTimersByTime(LIFETIME)
  await run(logins, 'next', async () => 'user')
  fail()
  await expect(failing).rejects.toThrow('late')
  expect([logins.isUsed({ id: 'one' }), logins.isUsed({ id: 'two' })]).toStrictEqual([false, true])
})

test('no used record is forgotten while it could be used again, however many follow', async () => {
  const logins = new UsedLogins<string>()
  for (let count = 0; count <= 20_000; count++) await run(logins, `record ${count}`, async () => 'user')
  expect([
    logins.isUsed({ id: 'record 0' }),
    logins.isUsed({ id: 'record 10000' }),
    logins.isUsed({ id: 'record 20000' }),
  ]).toStrictEqual([true, true, true])
})

test('setting the clock ahead and back neither forgets nor retains a record', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] })
  const logins = new UsedLogins<string>()
  const now = Date.now()
  jest.setSystemTime(now + 365 * 24 * 60 * 60 * 1000)
  await run(logins, 'first', async () => 'user')
  jest.setSystemTime(now)
  await run(logins, 'second', async () => 'user')
  expect([logins.isUsed({ id: 'first' }), logins.isUsed({ id: 'second' })]).toStrictEqual([true, true])
  jest.advanceTimersByTime(2 * LIFETIME)
  await run(logins, 'third', async () => 'user')
  expect([logins.isUsed({ id: 'first' }), logins.isUsed({ id: 'second' })]).toStrictEqual([false, false])
})

test('eight duplicates wait for a login, and no more', () => {
  const logins = new UsedLogins<string>()
  void run(logins, 'record', () => new Promise(() => {}))
  const shared = Array.from({ length: 10 }, () => logins.attach('record', 'key'))
  expect(shared.filter((login) => login !== undefined)).toHaveLength(8)
})
