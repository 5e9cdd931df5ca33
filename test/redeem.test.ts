import { type Redeemed, Redeemer, type RedeemOptions } from '../lib/redeem'
import type { Fault } from '../lib/testing'
import { ClientBench, expectOutcome, key, secret } from './support/client'
import { rejectionOf } from './support/leak-check'

let bench: ClientBench

beforeAll(async () => {
  bench = await ClientBench.start()
})
afterEach(() => bench.reset())
afterAll(() => bench.stop())

const skipped = { profile: undefined, params: { access_token: expect.any(String) } }
const loaded = { profile: { id: '1' }, params: { access_token: expect.any(String) } }

function redeemer(options: Partial<RedeemOptions> = {}): Redeemer {
  return new Redeemer(bench.client(), {
    name: 'social-login',
    timeout: 5000,
    maxConcurrentLogins: 128,
    profileEndpoint: 'user/me',
    skipUserProfile: false,
    uploadsURL: undefined,
    ...options,
  })
}

async function enterAndRedeem(entered: Redeemer, authKey: string): Promise<Redeemed> {
  const leave = entered.enter()
  return entered.redeem(authKey).finally(leave)
}

test.each<['user/me' | 'get_user_info']>([['user/me'], ['get_user_info']])(
  'a key is worth a token and the profile of %s',
  async (profileEndpoint) => {
    expect(await redeemer({ profileEndpoint }).redeem(bench.goodKey())).toMatchObject(loaded)
    expect(bench.provider.requests.map(({ endpoint }) => endpoint)).toEqual(['authorize', profileEndpoint])
  },
)

const decisions: [string, RedeemOptions['skipUserProfile'], object][] = [
  ['true', true, skipped],
  ['a function that returns true', () => true, skipped],
  ['a function that returns false', () => false, loaded],
  ['a function that resolves true', async () => true, skipped],
  ['a function that resolves false', async () => false, loaded],
  ['a function that calls done with true', (_token, done) => done(null, true), skipped],
  ['a function that calls done with false', (_token, done) => done(null, false), loaded],
  ['a function that calls done later', (_token, done) => void setImmediate(done, null, true), skipped],
  ['a function that calls done twice', (_token, done) => [done(null, true), done(new Error('late'))], skipped],
]

test.each(decisions)('skipUserProfile may be %s', async (_, skipUserProfile, result) => {
  expect(await redeemer({ skipUserProfile }).redeem(bench.goodKey())).toMatchObject(result)
  expect(bench.provider.requests).toHaveLength(result === skipped ? 1 : 2)
})

test('skipUserProfile is given the token', async () => {
  const seen: string[] = []
  const skipUserProfile = (token: string) => seen.push(token) > 0
  const { params } = await redeemer({ skipUserProfile }).redeem(bench.goodKey())
  expect(seen).toEqual([params.access_token])
})

const reason = new Error('the application failed')
const failures: [string, RedeemOptions['skipUserProfile']][] = [
  ['throws', () => thrown()],
  ['rejects', () => Promise.reject(reason)],
  ['calls done with an error', (_token, done) => done(reason)],
  ['throws and declares done', (_token, _done) => thrown()],
  ['rejects and declares done', async (_token, _done) => thrown()],
]

test.each(failures)("a skipUserProfile that %s ends in the application's own error", async (_, skipUserProfile) => {
  expect(await rejectionOf(redeemer({ skipUserProfile }).redeem(bench.goodKey()))).toBe(reason)
})

function thrown(): never {
  throw reason
}

test.each<[string, RedeemOptions['skipUserProfile']]>([
  ['never calls done', (_token, _done) => {}],
  ['never settles', () => new Promise(() => {})],
])('a skipUserProfile that %s is given up at the deadline', async (_, skipUserProfile) => {
  const error = await rejectionOf(redeemer({ skipUserProfile, timeout: 200 }).redeem(bench.goodKey()))
  expect(expectOutcome(error, 'verify_timeout', 'profile').message).toContain('skipUserProfile')
})

test('exchange and profile share one deadline', async () => {
  bench.provider.failNext('authorize', { delay: 300 })
  bench.provider.failNext('user/me', { delay: 300 })
  const start = performance.now()
  const error = await rejectionOf(redeemer({ timeout: 450 }).redeem(bench.goodKey()))
  expectOutcome(error, 'provider_timeout', 'profile')
  expect(performance.now() - start).toBeLessThan(1500)
})

test('beyond maxConcurrentLogins nothing is queued and nothing is sent', async () => {
  const full = redeemer({ maxConcurrentLogins: 2 })
  bench.provider.failNext('authorize', { delay: 200 }, { times: 2 })
  const waiting = [enterAndRedeem(full, bench.goodKey()), enterAndRedeem(full, bench.goodKey())]
  for (let count = 0; count < 20; count++) {
    const error = expectOutcome(await rejectionOf(enterAndRedeem(full, key)), 'overloaded', 'exchange')
    expect(error.retryAfter).toBe(1)
  }
  for (const login of waiting) expect(await login).toMatchObject(loaded)
  expect(bench.provider.requests.filter(({ form }) => form['auth_key'] === key)).toEqual([])
})

test('a place is free again after every kind of end', async () => {
  const single = redeemer({ maxConcurrentLogins: 1, timeout: 500 })
  const faults: Fault[] = [{ reset: 'body' }, { hang: true }, { body: 'null' }, { status: 500 }]
  for (const fault of faults) {
    bench.provider.failNext('authorize', fault)
    await rejectionOf(enterAndRedeem(single, key))
    // The profile is asked for twice.
    bench.provider.failNext('user/me', fault, { times: 2 })
    await rejectionOf(enterAndRedeem(single, bench.goodKey()))
    bench.provider.clearFaults()
    expect(await enterAndRedeem(single, bench.goodKey())).toMatchObject(loaded)
  }
  const { appSecret } = bench.provider.applications[0] ?? {}
  expect(appSecret).toBe(secret)
})
