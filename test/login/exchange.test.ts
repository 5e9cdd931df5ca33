import type { StrategyOptions } from '../../lib'
import { nodeNetwork } from '../../lib/client/http/pools'
import { Trace } from '../../lib/diagnostics'
import type { ExchangedLogin } from '../../lib/login/context'
import { exchange } from '../../lib/login/exchange'
import { parseLoginOptions } from '../../lib/login/providers/settings'
import { useClients } from '../support/client'
import { rejectionOf } from '../support/leak-check'
import { expectOutcome } from '../support/outcomes'
import { stopTimers, until } from '../support/turns'

const clients = useClients()

afterEach(() => {
  jest.useRealTimers()
})

const skipped = { profile: undefined, params: { access_token: expect.any(String) } }
const loaded = { profile: { id: '1' }, params: { access_token: expect.any(String) } }

async function exchanged(
  options: Partial<Pick<StrategyOptions, 'skipUserProfile' | 'profileEndpoint' | 'timeout'>> = {},
): Promise<ExchangedLogin> {
  const { skipUserProfile = false, ...others } = options
  const providers = parseLoginOptions({ ...clients.required(), callbackURL: '/callback', ...others }, nodeNetwork)
  const settings = await providers.find(
    () => undefined,
    () => 'exchange',
  )
  return exchange({ settings, adapter: { skipUserProfile }, trace: new Trace(settings.name) }, clients.newKey())
}

const decisions: [string, NonNullable<StrategyOptions['skipUserProfile']>, object][] = [
  ['true', true, skipped],
  ['a function that returns true', () => true, skipped],
  ['a function that returns false', () => false, loaded],
  ['a function that resolves true', async () => true, skipped],
  ['a function that resolves false', async () => false, loaded],
  ['a function that calls done with true', (_token, done) => done(null, true), skipped],
  ['a function that calls done with false', (_token, done) => done(null, false), loaded],
  ['a function that calls done with 1, which is not true', (_token, done) => done(null, JSON.parse('1')), loaded],
  ['a function that returns 1, which is not true', () => JSON.parse('1'), loaded],
  ['a function that calls done later', (_token, done) => void setImmediate(done, null, true), skipped],
  ['a function that calls done twice', (_token, done) => [done(null, true), done(new Error('late'))], skipped],
]

test.each(decisions)('skipUserProfile may be %s', async (_, skipUserProfile, result) => {
  expect(await exchanged({ skipUserProfile })).toMatchObject(result)
  expect(clients.provider.requests).toHaveLength(result === skipped ? 1 : 2)
})

test('skipUserProfile is given the token', async () => {
  const seen: string[] = []
  const skipUserProfile = (token: string) => seen.push(token) > 0
  const { params } = await exchanged({ skipUserProfile })
  expect(seen).toStrictEqual([params.access_token])
})

const reason = new Error('the application failed')
const failures: [string, NonNullable<StrategyOptions['skipUserProfile']>][] = [
  ['throws', () => thrown()],
  ['rejects', () => Promise.reject(reason)],
  ['calls done with an error', (_token, done) => done(reason)],
  ['throws and declares done', (_token, _done) => thrown()],
  ['rejects and declares done', async (_token, _done) => thrown()],
]

test.each(failures)("a skipUserProfile that %s gives the application's own error", async (_, skipUserProfile) => {
  expect(await rejectionOf(exchanged({ skipUserProfile }))).toBe(reason)
})

function thrown(): never {
  throw reason
}

const TIMEOUT = 10_000

test.each<[string, (ask: () => void) => NonNullable<StrategyOptions['skipUserProfile']>]>([
  ['never calls done', (ask) => (_token, _done) => ask()],
  ['never settles', (ask) => () => new Promise(ask)],
])('a skipUserProfile that %s is given up at the deadline', async (_, askedBy) => {
  stopTimers()
  let isAsked = false
  const skipUserProfile = askedBy(() => {
    isAsked = true
  })
  const rejection = rejectionOf(exchanged({ skipUserProfile, timeout: TIMEOUT }))
  await until(() => isAsked)
  jest.advanceTimersByTime(TIMEOUT)
  expect(expectOutcome(await rejection, 'verify_timeout', 'profile').message).toContain('skipUserProfile')
})

test('exchange and profile share one deadline', async () => {
  stopTimers()
  const sent = (): number => clients.provider.requests.length
  clients.provider.failNext('authorize', { delay: 100 })
  clients.provider.failNext('user/me', { hang: true })
  const rejection = rejectionOf(exchanged({ timeout: TIMEOUT }))
  await until(() => sent() === 1)
  jest.advanceTimersByTime(TIMEOUT - 1)
  await until(() => sent() === 2)
  jest.advanceTimersByTime(1)
  expectOutcome(await rejection, 'provider_timeout', 'profile')
})
