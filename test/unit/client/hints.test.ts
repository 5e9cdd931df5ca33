import type { SocialLoginClient } from '../../../lib/client/client'
import type { Fault } from '../../../lib/testing'
import { expectOutcome, key, marker, token, useClients } from '../../support/client'
import { rejectionOf } from '../../support/leak-check'

// The message of `provider_bad_response` must tell the operator what the provider did wrong.

const clients = useClients()
let client: SocialLoginClient

beforeAll(() => {
  client = clients.client()
})

const deep = `{"access_token":"${token}","user_id":"1","x":${'['.repeat(40)}${']'.repeat(40)}}`

test.each<[string, Fault, RegExp]>([
  ['no JSON', { body: 'Hello' }, /answered with a JSON object\. It may/],
  ['a list', { body: '[]' }, /answered with a JSON object\. It may/],
  ['a token that is a list', { body: '{"access_token":[1]}' }, /access_token must have .*visible ASCII characters\.$/],
  ['a token with a space', { body: '{"access_token":"a b"}' }, /access_token must have .*visible ASCII characters\.$/],
  ['deep JSON', { body: deep }, /at most 33 levels\.$/],
  ['deep JSON behind white space', { body: `\n ${deep}` }, /at most 33 levels\.$/],
  ['deep JSON behind text', { body: `Hello ${deep}` }, /answered with a JSON object\. It may/],
  ['a page that is not there', { status: 404, body: '<h1>Hello</h1>' }, /no authorize endpoint/],
  ['a refused method', { status: 405, body: '<h1>Hello</h1>' }, /exchangeMethod/],
  ['a refused method, as JSON', { status: 405, body: '{"error":true}' }, /exchangeMethod/],
  ['a compressed body', { headers: { 'content-encoding': 'gzip' }, body: '{}' }, /compressed/],
  ['65 KiB', { body: ' '.repeat(65 * 1024) }, /larger than 64 KiB/],
  ['Latin-1', { body: Buffer.from('{"a":"é"}', 'latin1') }, /not UTF-8/],
])('an exchange answered with %s has a hint', async (_, fault, hint) => {
  clients.provider.failNext('authorize', fault)
  const error = expectOutcome(await rejectionOf(client.exchangeAuthKey(key)), 'provider_bad_response', 'exchange')
  expect(error.message).toMatch(hint)
})

test.each<[string, Fault, RegExp]>([
  ['no JSON', { body: 'Hello' }, /profile must be answered with JSON\. It may/],
  ['deep JSON', { body: deep }, /at most 33 levels\.$/],
  ['a page that is not there', { status: 404, body: '<h1>Hello</h1>' }, /get_user_info or auto/],
  ['JSON that it is not there', { status: 404, body: `{"message":"${marker}"}` }, /get_user_info or auto/],
  ['JSON that nothing went wrong', { status: 404, body: '{"error":false}' }, /get_user_info or auto/],
])('a profile answered with %s has a hint', async (_, fault, hint) => {
  for (const [endpoint, method] of [
    ['user/me', 'getCurrentUser'],
    ['get_user_info', 'getUserInfo'],
  ] as const) {
    clients.provider.failNext(endpoint, fault)
    const error = expectOutcome(await rejectionOf(client[method](token)), 'provider_bad_response', 'profile')
    expect(error.message).toMatch(hint)
  }
})
