import type { SocialLoginClient } from '../../../lib/client/client'
import type { Fault } from '../../../lib/testing'
import { expectOutcome, key, marker, token, useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'

// Only status 429 is a rate limit by itself. A refusal is one if its headers say so for sure.

const clients = useClients()
let client: SocialLoginClient

beforeAll(() => {
  client = clients.client()
})

const refusal = `{"error":true,"message":"${marker}"}`
const inAnHour = (): string => String(Math.floor(Date.now() / 1000) + 3600)

async function refusedWith(fault: Fault): Promise<{ exchange: unknown; profile: unknown }> {
  clients.provider.failNext('authorize', fault)
  clients.provider.failNext('user/me', fault)
  clients.provider.clearRequests()
  const failures = {
    exchange: await rejectionOf(client.exchangeAuthKey(key)),
    profile: await rejectionOf(client.getCurrentUser(token)),
  }
  expect(clients.provider.requests).toHaveLength(2)
  return failures
}

test.each<[string, () => Record<string, string>, number | undefined]>([
  ['nothing left of the quota', () => ({ 'x-ratelimit-remaining': '0' }), undefined],
  ['a Retry-After', () => ({ 'retry-after': '17' }), 17],
  ['both', () => ({ 'x-ratelimit-remaining': '0', 'retry-after': '17', 'x-ratelimit-reset': inAnHour() }), 17],
  ['the time of the reset', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inAnHour() }), 3600],
  ['a reset that is over', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' }), 0],
  ['a reset in the far future', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }), 86_400],
  ['a reset of unknown unit', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }), undefined],
  ['a reset that is no number', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': marker }), undefined],
])('a refusal with %s is one of the rate limit', async (_title, headers, seconds) => {
  for (const status of [200, 403]) {
    const { exchange, profile } = await refusedWith({ status, headers: headers(), body: refusal })
    for (const error of [
      expectOutcome(exchange, 'provider_rate_limited', 'exchange'),
      expectOutcome(profile, 'provider_rate_limited', 'profile'),
    ]) {
      if (seconds === 3600) expect(Math.abs((error.retryAfter ?? 0) - seconds)).toBeLessThan(10)
      else expect(error.retryAfter).toBe(seconds)
    }
  }
})

test.each<[string, Record<string, string | string[]>]>([
  ['no such headers', {}],
  ['some quota left', { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': inAnHour() }],
  ['a reset alone', { 'x-ratelimit-reset': inAnHour() }],
  ['two contradictory headers', { 'x-ratelimit-remaining': ['0', '5'] }],
  ['two times to wait', { 'retry-after': ['1', '2'] }],
  ['a negative quota', { 'x-ratelimit-remaining': '-1' }],
  ['no time to wait', { 'retry-after': '0' }],
  ['a time that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
  ['a time that cannot be read', { 'retry-after': 'soon' }],
])('a refusal with %s is one of the key or the token, whatever its text says', async (_title, headers) => {
  for (const message of ['Rate limit exceeded', 'Too many requests']) {
    const { exchange, profile } = await refusedWith({ headers, body: JSON.stringify({ error: true, message }) })
    expectOutcome(exchange, 'auth_key_rejected', 'exchange')
    expectOutcome(profile, 'profile_unauthorized', 'profile')
  }
})

test('a 429 says until when, by the date of Retry-After or by X-RateLimit-Reset', async () => {
  const date = new Date(Date.now() + 3600_000).toUTCString()
  for (const headers of [{ 'retry-after': date }, { 'x-ratelimit-reset': inAnHour() }]) {
    const { profile } = await refusedWith({ status: 429, headers })
    const { retryAfter } = expectOutcome(profile, 'provider_rate_limited', 'profile')
    expect(Math.abs((retryAfter ?? 0) - 3600)).toBeLessThan(10)
  }
})

test('a success that uses up the quota is a success', async () => {
  const headers = { 'x-ratelimit-remaining': '0', 'retry-after': '60' }
  clients.provider.failNext('authorize', { headers, body: `{"access_token":"${token}"}` })
  clients.provider.failNext('user/me', { headers, body: '{"user_id":"1"}' })
  expect(await client.exchangeAuthKey(key)).toEqual({ access_token: token })
  expect(await client.getCurrentUser(token)).toMatchObject({ user_id: '1' })
})
