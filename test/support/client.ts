import { SocialLoginClient } from '../../lib/client/client'
import type { SocialLoginClientOptions } from '../../lib/client/options'
import { FakeProvider } from '../../lib/testing'
import { secret } from './outcomes'

/** Clients of one application for the tests of a file. */
export interface Clients {
  readonly provider: FakeProvider
  /** The options that a client needs. */
  required(): Pick<SocialLoginClientOptions, 'baseURL' | 'clientID' | 'clientSecret'>
  /** Makes a client. It is closed after the tests. */
  client(options?: Partial<SocialLoginClientOptions>): SocialLoginClient
  /** A key that can be exchanged. Default: of user 1. */
  newKey(userID?: string): string
}

/** Starts one provider for all tests of the file or block. It is reset after each. */
export function useClients(): Clients {
  let provider: FakeProvider | undefined
  const opened: SocialLoginClient[] = []
  const application = { appID: 'app-id', appSecret: secret }

  beforeAll(async () => {
    provider = await FakeProvider.start()
    const redirectURL = 'http://localhost:3000/auth/callback'
    provider.registerApplication({ name: 'App', redirectURL, ...application })
  })
  afterEach(() => {
    provider?.clearRequests()
    provider?.clearFaults()
    provider?.setMode('specification')
  })
  afterAll(async () => {
    await Promise.all(opened.map((client) => client.close()))
    await provider?.stop()
  })

  const clients: Clients = {
    get provider() {
      if (!provider) throw new Error('the provider starts with the tests')
      return provider
    },
    required: () => ({
      baseURL: clients.provider.baseURL,
      clientID: application.appID,
      clientSecret: application.appSecret,
    }),
    client: (options) => {
      const client = new SocialLoginClient({ ...clients.required(), ...options })
      opened.push(client)
      return client
    },
    newKey: (userID = '1') => clients.provider.issueAuthKey({ appID: application.appID, userID }),
  }
  return clients
}
