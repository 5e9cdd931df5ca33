import { Readable } from 'node:stream'
import { Agent } from 'undici'
import type { SocialLoginClient } from '../../../lib/client/client'
import type { OutcomeCode } from '../../../lib/errors'
import type { Fault } from '../../../lib/testing'
import { expectOutcome, key, marker, token, useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'

// A page comes from a firewall, a web server, a provider under maintenance, or one that refuses a key or a token with it.

const clients = useClients()
const dispatcher = new Agent()
afterAll(() => dispatcher.close())

const html = { 'content-type': 'text/html; charset=utf-8' }
const body = `<!doctype html>\n<title>Hello</title><h1>${marker}</h1>\n`

// Only its status is known.
const LARGE = 'HTML of 100 KiB'

const pages: [string, Fault][] = [
  ['HTML', { headers: html, body }],
  ['HTML labelled as JSON', { body }],
  ['HTML after a byte order mark and white space', { headers: html, body: `\ufeff\n\n ${body}` }],
  [LARGE, { headers: html, body: body + 'x'.repeat(100 * 1024) }],
  ['XML', { headers: { 'content-type': 'application/xml' }, body: '<Error><Code>AccessDenied</Code></Error>' }],
]

const over: [string, () => SocialLoginClient][] = [
  ['its own pool', () => clients.client()],
  ['a dispatcher', () => clients.client({ dispatcher })],
]

describe.each(over)('a client over %s', (_over, make) => {
  const failExchange = (fault: Fault): Promise<unknown> => {
    clients.provider.failNext('authorize', fault)
    return rejectionOf(make().exchangeAuthKey(key))
  }

  describe.each(pages)('given %s', (title, page) => {
    test.each([400, 401, 403])('with status %d takes it for a refused key, which a person mends', async (status) => {
      expectOutcome(await failExchange({ ...page, status }), 'auth_key_rejected', 'exchange')
    })

    test.each([400, 401, 403, 405, 406])(
      'with status %d and the mark of a firewall takes it for one',
      async (status) => {
        const fault = { ...page, status, headers: { ...page.headers, 'cf-mitigated': 'challenge' } }
        const error = expectOutcome(await failExchange(fault), 'provider_bad_response', 'exchange')
        expect(error.message).toMatch(/a page, not the API: a firewall .* userAgent/)
      },
    )

    test('with status 200 at the exchange says what came', async () => {
      const error = await failExchange({ ...page, status: 200 })
      const { message } = expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: title !== LARGE })
      expect(message).toMatch(/a page,( and)? not the API/)
    })

    test('with status 200 at the profile says what came, and is not requested again', async () => {
      for (const endpoint of ['user/me', 'get_user_info'] as const) {
        clients.provider.clearRequests()
        clients.provider.failNext(endpoint, { ...page, status: 200 })
        const error = await rejectionOf(make().fetchUser(endpoint, token))
        const { message } = expectOutcome(error, 'provider_bad_response', 'profile', { retryable: title !== LARGE })
        expect(message).toMatch(/a page,( and)? not the API/)
        expect(clients.provider.requests).toHaveLength(1)
      }
    })

    test.each<[number, OutcomeCode, RegExp]>([
      [401, 'profile_unauthorized', /./],
      [403, 'profile_unauthorized', /./],
      [404, 'provider_bad_response', /get_user_info or auto/],
    ])('with status %d at the profile is %s with a hint', async (status, code, hint) => {
      clients.provider.failNext('user/me', { ...page, status })
      const error = expectOutcome(await rejectionOf(make().getCurrentUser(token)), code, 'profile')
      expect(error.message).toMatch(hint)
    })

    test('with status 404 or 405 at the exchange has a hint of its own', async () => {
      for (const [status, hint] of [
        [404, 'no authorize endpoint'],
        [405, 'see exchangeMethod'],
      ] as const) {
        const error = expectOutcome(await failExchange({ ...page, status }), 'provider_bad_response', 'exchange')
        expect(error.message).toContain(hint)
      }
    })
  })

  test.each([429, 503])(
    'takes a page with status %d and the mark of a firewall for one, and keeps Retry-After',
    async (status) => {
      for (const page of [body, `\n\n${body}`, `\ufeff${body}`]) {
        const headers = { ...html, 'retry-after': '17', 'cf-ray': '8c3f-FRA' }
        const error = await failExchange({ status, headers, body: page })
        const { message, retryAfter } = expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true })
        expect([message, retryAfter]).toEqual([expect.stringContaining('firewall'), 17])
      }
    },
  )

  test.each<[number, OutcomeCode]>([
    [429, 'provider_rate_limited'],
    [503, 'provider_unavailable'],
  ])('takes everything else with status %d for what the status says', async (status, code) => {
    const busy = '<!doctype html><h1>Busy</h1>'
    const bodies = ['', ' \n', '{"error":true}', '\n[]', 'busy', ' '.repeat(60_000), busy, busy.padEnd(100 * 1024)]
    for (const headers of [{}, html, { 'content-type': 'text/plain' }]) {
      for (const text of bodies) {
        const error = await failExchange({ status, headers: { ...headers, 'retry-after': '17' }, body: text })
        expect(expectOutcome(error, code, 'exchange').retryAfter).toBe(17)
      }
    }
  })

  test('sends a profile request again after a 503, page or not', async () => {
    clients.provider.failNext('user/me', { status: 503, headers: html, body })
    const { access_token } = await make().exchangeAuthKey(clients.newKey())
    await expect(make().getCurrentUser(access_token)).resolves.toMatchObject({ user_id: '1' })
  })

  test('may try again after an empty body with status 200', async () => {
    for (const empty of ['', ' ', '\r\n']) {
      const error = await failExchange({ body: empty })
      expect(expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true }).message).toContain('empty')
    }
  })

  test('does not take JSON that is labelled as HTML for a page', async () => {
    const refused = await failExchange({ status: 403, headers: html, body: '{"error":true}' })
    expectOutcome(refused, 'auth_key_rejected', 'exchange')
    clients.provider.failNext('authorize', { headers: html, body: `{"access_token":"${token}"}` })
    expect(await make().exchangeAuthKey(key)).toEqual({ access_token: token })
  })

  test('does not take warnings of a script before JSON for a page: another login would end like this one', async () => {
    const warning = '<br />\n<b>Warning</b>: Undefined array key "lang"<br />\n'
    const error = await failExchange({ headers: html, body: `${warning}{"access_token":"${token}"}` })
    expectOutcome(error, 'provider_bad_response', 'exchange')
  })

  test('does not take an empty 401 or 403, or one with a word of text, for a page', async () => {
    for (const status of [401, 403]) {
      for (const text of ['', 'Unauthorized']) {
        expectOutcome(await failExchange({ status, headers: html, body: text }), 'auth_key_rejected', 'exchange')
      }
    }
  })
})

test('of a page of more than 64 KiB, in one chunk or without end, only the status is known', async () => {
  const chunk = Buffer.from(body + 'x'.repeat(100 * 1024))
  const request = async () => ({ statusCode: 403, headers: html, body: Readable.from([chunk]) })
  const large = await rejectionOf(clients.client({ dispatcher: { request } }).exchangeAuthKey(key))
  expectOutcome(large, 'auth_key_rejected', 'exchange')
  clients.provider.failNext('authorize', { status: 403, headers: html, body, endless: true })
  expect(await rejectionOf(clients.client().exchangeAuthKey(key))).toEqual(large)
})
