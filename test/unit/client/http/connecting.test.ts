import dns from 'node:dns'
import { once } from 'node:events'
import tls from 'node:tls'
import { SocialLoginClient } from '../../../../lib'
import { FakeProvider } from '../../../../lib/testing'
import { makeRSACertificate } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { port } from '../../../support/listen'

const credentials = { clientID: 'id', clientSecret: 'secret' }

afterEach(() => jest.restoreAllMocks())

test('one DNS lookup runs at a time: silent name servers block one thread of the process, not all', async () => {
  const provider = await FakeProvider.start()
  const answers: (() => void)[] = []
  const lookup = dns.lookup.bind(dns)
  const lookups = jest
    .spyOn(dns, 'lookup')
    .mockImplementation((...given) => void answers.push(() => Reflect.apply(lookup, dns, given)))
  const { port } = new URL(provider.origin)
  const client = new SocialLoginClient({ ...credentials, baseURL: `http://localhost:${port}/api/v1` })
  const calls = Array.from({ length: 20 }, () => rejectionOf(client.exchangeAuthKey('a-guess')))
  while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve))
  for (const answer of answers) answer()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 'auth_key_rejected' })
  expect(lookups).toHaveBeenCalledTimes(1)
  await client.close()
  await provider.stop()
})

test('a server that offers only finite-field key exchange, of any size, is refused before it costs CPU', async () => {
  const certificate = makeRSACertificate()
  const server = tls
    .createServer({ ...certificate, maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' })
    .listen(0, 'localhost')
  await once(server, 'listening')
  const naive = tls.connect({ port: port(server), host: 'localhost', ca: certificate.cert })
  await once(naive, 'secureConnect')
  expect(naive.getCipher().name).toBe('DHE-RSA-AES128-GCM-SHA256')
  naive.destroy()
  const alert = once(server, 'tlsClientError')
  const client = new SocialLoginClient({ ...credentials, baseURL: `https://localhost:${port(server)}/api/v1` })
  expect(await rejectionOf(client.exchangeAuthKey('key'))).toMatchObject({ code: 'provider_unreachable' })
  expect(String((await alert)[0])).toMatch(/no shared cipher/i)
  await client.close()
  server.close()
})
