import { SocialLoginClient } from '../../lib/client/client'
import type { SocialLoginClientOptions } from '../../lib/client/options'
import { OUTCOMES, type OutcomeCode, type Phase, SocialLoginError } from '../../lib/errors'
import { FakeProvider } from '../../lib/testing'
import { expectNoneShown } from './leak-check'

/** Planted where secrets travel: none of them may show in any error. */
export const secret = 'secret-canary-7cf1'
export const key = 'key-canary-93ab'
export const token = 'token-canary-51de'
export const marker = 'body-canary-e0c4'

/** A provider with one application, and the clients of one test file. */
export class ClientBench {
  readonly #clients: SocialLoginClient[] = []

  private constructor(
    readonly provider: FakeProvider,
    readonly appID: string,
  ) {}

  static async start(): Promise<ClientBench> {
    const provider = await FakeProvider.start()
    const redirectURL = 'http://localhost:3000/auth/callback'
    const { appID } = provider.registerApplication({ name: 'App', redirectURL, appID: 'app-id', appSecret: secret })
    return new ClientBench(provider, appID)
  }

  client(options: Partial<SocialLoginClientOptions> = {}): SocialLoginClient {
    const { baseURL } = this.provider
    const client = new SocialLoginClient({ baseURL, clientID: this.appID, clientSecret: secret, ...options })
    this.#clients.push(client)
    return client
  }

  goodKey(userID = '1'): string {
    return this.provider.issueAuthKey({ appID: this.appID, userID })
  }

  /** Forgets what happened to the provider in the last test. */
  reset(): void {
    this.provider.clearFaults()
    this.provider.clearRequests()
    this.provider.setMode('specification')
  }

  async stop(): Promise<void> {
    await this.provider.stop()
    await Promise.all(this.#clients.map((client) => client.close()))
  }
}

/** Asserts a {@link SocialLoginError} of the table, in all its parts, that shows nothing planted. */
export function expectOutcome(error: unknown, code: OutcomeCode, phase: Phase): SocialLoginError {
  if (!(error instanceof SocialLoginError)) throw new Error('not a SocialLoginError', { cause: error })
  const { status, retryable, message } = OUTCOMES[code]
  expect({ code: error.code, phase: error.phase }).toEqual({ code, phase })
  expect(error).toMatchObject({ status, retryable, name: 'SocialLoginError' })
  expect(error.message.startsWith(message)).toBe(true)
  expect(error).not.toHaveProperty('cause')
  expectNoneShown(error, [secret, key, token, marker])
  return error
}
