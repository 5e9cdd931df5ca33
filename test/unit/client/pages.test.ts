import { Readable } from 'node:stream'
import { Agent } from 'undici'
import type { SocialLoginClient } from '../../../lib/client/client'
import type { OutcomeCode } from '../../../lib/errors'
import type { Fault } from '../../../lib/testing'
import { expectOutcome, key, marker, token, useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'

// A page comes from a firewall, a web server or a provider under maintenance: it says nothing about a key or a token.

const clients = useClients()
const dispatcher = new Agent()
afterAll(() => dispatcher.close())

const html = { 'content-type': 'text/html; charset=utf-8' }
const body = `<!doctype html>\n<title>Just a moment...</title><h1>${marker}</h1>\n`

const pages: [string, Fault][] = [
  ['HTML', { headers: html, body }],
  ['HTML labelled as JSON', { body }],
  ['HTML after a byte order mark and white space', { headers: html, body: `\ufeff\n\n ${body}` }],
  ['HTML of 100 KiB', { headers: html, body: body + 'x'.repeat(100 * 1024) }],
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

  describe.each(pages)('given %s', (_title, page) => {
    test.each([400, 401, 403, 406])('with status %d takes it for a firewall, not for a refused key', async (status) => {
      const error = expectOutcome(await failExchange({ ...page, status }), 'provider_bad_response', 'exchange')
      expect(error.message).toMatch(/a page, not the API: a firewall .* userAgent/)
    })

    test('with status 200 at the exchange may try again, and says what came', async () => {
      const error = await failExchange({ ...page, status: 200 })
      expect(expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true }).message).toContain(
        'a page, not the API',
      )
    })

    test('with status 200 at the profile may try again, and says what came', async () => {
      for (const endpoint of ['user/me', 'get_user_info'] as const) {
        clients.provider.clearRequests()
        clients.provider.failNext(endpoint, { ...page, status: 200 })
        const error = await rejectionOf(make().fetchUser(endpoint, token))
        expect(expectOutcome(error, 'provider_bad_response', 'profile', { retryable: true }).message).toContain(
          'a page, not the API',
        )
        expect(clients.provider.requests).toHaveLength(1)
      }
    })

    test.each<[number, OutcomeCode, RegExp]>([
      [401, 'profile_unauthorized', /firewall/],
      [403, 'profile_unauthorized', /firewall/],
      [406, 'provider_bad_response', /firewall/],
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
    'takes HTML with status %d at the exchange for a firewall, and keeps Retry-After',
    async (status) => {
      for (const page of [body, `\n\n${body}`, `\ufeff${body}`, body + 'x'.repeat(100 * 1024)]) {
        const headers = { ...html, 'retry-after': '17' }
        const error = await failExchange({ status, headers, body: page })
        const { message, retryAfter } = expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true })
        expect([message, retryAfter]).toEqual([expect.stringContaining('firewall'), 17])
      }
    },
  )

  test('decides after the first bytes of such a page, even if it has no end', async () => {
    const error = await failExchange({ status: 503, headers: html, body, endless: true })
    expectOutcome(error, 'provider_bad_response', 'exchange', { retryable: true })
  })

  test.each<[number, OutcomeCode]>([
    [429, 'provider_rate_limited'],
    [503, 'provider_unavailable'],
  ])('takes everything else with status %d for what the status says', async (status, code) => {
    const bodies = ['', ' \n', '{"error":true}', '\n[]', 'busy', ' '.repeat(60_000)]
    for (const headers of [{}, html, { 'content-type': 'text/plain' }]) {
      for (const text of bodies) {
        const error = await failExchange({ status, headers: { ...headers, 'retry-after': '17' }, body: text })
        expect(expectOutcome(error, code, 'exchange').retryAfter).toBe(17)
      }
    }
    const compressed = { ...html, 'content-encoding': 'gzip' }
    expectOutcome(await failExchange({ status, headers: compressed, body }), code, 'exchange')
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

test.each([403, 429, 503])(
  'a large page with status %d is recognised even if it comes in a single chunk',
  async (status) => {
    const headers = { ...html, 'retry-after': '17' }
    const chunk = Buffer.from(body + 'x'.repeat(100 * 1024))
    const request = async () => ({ statusCode: status, headers, body: Readable.from([chunk]) })
    const large = await rejectionOf(clients.client({ dispatcher: { request } }).exchangeAuthKey(key))
    clients.provider.failNext('authorize', { status, headers, body })
    expect(large).toEqual(await rejectionOf(clients.client().exchangeAuthKey(key)))
    expectOutcome(large, 'provider_bad_response', 'exchange', { retryable: status !== 403 })
  },
)
