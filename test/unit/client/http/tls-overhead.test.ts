import tls from 'node:tls'
import { Agent } from 'undici'
import { SocialLoginClient } from '../../../../lib'
import { type Certificates, makeCertificates } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { RAW_TOKEN, RawProvider, type Wire } from '../../../support/raw-provider'

let certificates: Certificates
let provider: RawProvider

beforeAll(async () => {
  certificates = makeCertificates()
  provider = await RawProvider.start(certificates.good)
})
afterEach(() => {
  jest.restoreAllMocks()
  provider.clear()
})
afterAll(() => provider.stop())

/** A valid response with one header in one-byte records: 22 bytes of TLS per byte of HTTP. */
const inTinyRecords: Wire = (socket, body) => {
  socket.write('HTTP/1.1 200 OK\r\nx-a: ')
  const rest = () => socket.write(`\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  // Sequentially: pending writes would be merged into one record.
  const more = (count: number): void => {
    if (socket.destroyed) return
    if (count === 0) setTimeout(() => !socket.destroyed && rest(), 600)
    else socket.write('b', () => more(count - 1))
  }
  // After the client has seen the beginning of the response.
  setTimeout(() => more(12_000), 100)
}

test('a response that is mostly TLS overhead is accepted by a naive client', async () => {
  provider.failNext('authorize', inTinyRecords)
  const agent = new Agent({ connect: { ca: certificates.ca } })
  const origin = new URL(provider.baseURL).origin
  const { body } = await agent.request({ origin, path: '/api/authorize', method: 'POST', body: '' })
  expect(await body.json()).toEqual({ access_token: RAW_TOKEN })
  await agent.destroy()
})

test('ours closes the connection, and the next exchange succeeds', async () => {
  const { connect } = tls
  jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca: certificates.ca }, ...rest])
  })
  provider.failNext('authorize', inTinyRecords)
  const client = new SocialLoginClient({ baseURL: provider.baseURL, clientID: 'a', clientSecret: 'b' })
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_bad_response' })
  expect(await client.exchangeAuthKey('key')).toEqual({ access_token: RAW_TOKEN })
  await client.close()
})
