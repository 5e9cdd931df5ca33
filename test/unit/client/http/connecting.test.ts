import dns from 'node:dns'
import tls from 'node:tls'
import { SocialLoginClient } from '../../../../lib'
import { FakeProvider } from '../../../../lib/testing'
import { makeCertificates } from '../../../support/certificates'
import { rejectionOf } from '../../../support/leak-check'
import { RawProvider } from '../../../support/raw-provider'

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

// Without care, Node ends with SIGSEGV.
test.each(['http', 'https'])(
  'where nothing listens at the first address of a name, %s reaches the second',
  async (protocol) => {
    const { ca, good } = makeCertificates()
    const raw = await RawProvider.start(protocol === 'https' ? good : undefined)
    const { connect } = tls
    // Trusts the test CA, as NODE_EXTRA_CA_CERTS does for a process.
    jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
      const [options, ...rest] = args
      return Reflect.apply(connect, tls, [{ ...Object(options), ca }, ...rest])
    })
    jest.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
      const answer = args.at(-1)
      const addresses = ['127.0.0.99', '127.0.0.1'].map((address) => ({ address, family: 4 }))
      if (typeof answer === 'function') setImmediate(() => answer(null, addresses))
    })
    const client = new SocialLoginClient({ ...credentials, baseURL: raw.baseURL })
    expect(await client.getCurrentUser('token')).toMatchObject({ user_id: '1' })
    await client.close()
    await raw.stop()
  },
)
