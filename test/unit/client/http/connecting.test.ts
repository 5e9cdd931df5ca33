import dns from 'node:dns'
import { SocialLoginClient } from '../../../../lib'
import { FakeProvider } from '../../../../lib/testing'
import { rejectionOf } from '../../../support/leak-check'

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
