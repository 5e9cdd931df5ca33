import { SocialLoginClient } from '../../../../lib'
import { rejectionOf } from '../../../support/leak-check'
import { expectOutcome } from '../../../support/outcomes'
import { RawProvider } from '../../../support/raw-provider'

// What keeps a response from being HTTP is told by the rule that it breaks, and never by a word of it.

let provider: RawProvider
beforeAll(async () => {
  provider = await RawProvider.start()
})
afterAll(() => provider.stop())

const OK = 'HTTP/1.1 200 OK\r\n'

test.each([
  ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x50', 'no HTTP at all'],
  ['another protocol', 'SSH-2.0-canary\r\n', 'no HTTP at all'],
  ['a page without a head', '<html>canary', 'no HTTP at all'],
  [
    'a length beside chunks',
    `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    'length',
  ],
  ['two lengths', `${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 'length'],
  ['a length that is no number', `${OK}content-length: 2canary\r\n\r\n{}`, 'length'],
  ['chunks without a size', `${OK}transfer-encoding: chunked\r\n\r\ncanary\r\n`, 'chunks'],
  ['a space in the name of a header', `${OK}x canary: 2\r\n\r\n{}`, 'header'],
  ['a header without a colon', `${OK}canary\r\ncontent-length: 2\r\n\r\n{}`, 'header'],
  ['a null byte in a header', `${OK}x: canary\0\r\ncontent-length: 2\r\n\r\n{}`, 'header'],
  ['lines that end in LF alone', 'HTTP/1.1 200 OK\ncontent-length: 2\n\n{}', 'CR and LF'],
  ['another version', 'HTTP/9.9 200 OK\r\n\r\n', 'version'],
  ['a status that is no number', 'HTTP/1.1 canary OK\r\n\r\n', 'status'],
])('%s is told', async (_what, bytes, word) => {
  const client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'id', clientSecret: 'secret' })
  provider.failNext('authorize', (socket) => socket.end(Buffer.from(bytes, 'latin1')))
  const error = expectOutcome(await rejectionOf(client.exchangeAuthKey('key')), 'provider_bad_response', 'exchange')
  expect(error.message).toContain('not proper HTTP')
  expect(error.message).toContain(word)
  expect(error.message).not.toContain('canary')
  // Only another address helps where there is no HTTP.
  expect(error.message.includes('not baseURL')).toBe(word !== 'no HTTP at all')
  await client.close()
})
