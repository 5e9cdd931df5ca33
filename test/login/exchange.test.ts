import type { StrategyOptions } from '../../lib'
import { nodeNetwork } from '../../lib/client/http/pools'
import { Trace } from '../../lib/diagnostics'
import type { ExchangedLogin } from '../../lib/login/context'
import { exchange } from '../../lib/login/exchange'
import { parseLoginOptions } from '../../lib/login/providers/settings'
import { expectOutcome, useClients } from '../support/client'
import { rejectionOf } from '../support/leak-check'

const clients = useClients()

const skipped = { profile: undefined, params: { access_token: expect.any(String) } }
const loaded = { profile: { id: '1' }, params: { access_token: expect.any(String) } }

async function exchanged(
  options: Partial<Pick<StrategyOptions, 'skipUserProfile' | 'profileEndpoint' | 'timeout'>> = {},
): Promise<ExchangedLogin> {
  const { skipUserProfile = false, ...others } = options
  const providers = parseLoginOptions({ ...clients.required(), callbackURL: '/callback', ...others }, nodeNetwork)
  const settings = await providers.find(() => undefined, 'exchange')
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
  expect(seen).toEqual([params.access_token])
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

test.each<[string, NonNullable<StrategyOptions['skipUserProfile']>]>([
  ['never calls done', (_token, _done) => {}],
  ['never settles', () => new Promise(() => {})],
])('a skipUserProfile that %s is given up at the deadline', async (_, skipUserProfile) => {
  const error = await rejectionOf(exchanged({ skipUserProfile, timeout: 200 }))
  expect(expectOutcome(error, 'verify_timeout', 'profile').message).toContain('skipUserProfile')
})

test('exchange and profile share one deadline', async () => {
  // Each is within the timeout, and both together are not.
  for (const endpoint of ['authorize', 'user/me'] as const) clients.provider.failNext(endpoint, { delay: 700 })
  expectOutcome(await rejectionOf(exchanged({ timeout: 1200 })), 'provider_timeout', 'profile')
})
