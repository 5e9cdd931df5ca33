import { SocialLoginClient } from '../../lib/client/client'
import type { SocialLoginClientOptions } from '../../lib/client/options'
import { OUTCOMES, type OutcomeCode, type Phase, SocialLoginError } from '../../lib/errors'
import type { FakeProvider } from '../../lib/testing'
import { expectNoneShown } from './leak-check'
import { useLogins } from './logins'

/** Planted as secrets: none may appear in an error. */
export const secret = 'secret-canary-7cf1'
export const key = 'key-canary-93ab'
export const token = 'token-canary-51de'
export const marker = 'body-canary-e0c4'

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
  const logins = useLogins('all tests')
  const opened: SocialLoginClient[] = []
  const application = { appID: 'app-id', appSecret: secret }

  beforeAll(() => {
    const redirectURL = 'http://localhost:3000/auth/callback'
    logins.provider.registerApplication({ name: 'App', redirectURL, ...application })
  })
  afterEach(() => logins.provider.setMode('specification'))
  afterAll(() => Promise.all(opened.map((client) => client.close())))

  const required: Clients['required'] = () => {
    const { baseURL } = logins.provider
    return { baseURL, clientID: application.appID, clientSecret: application.appSecret }
  }

  return {
    get provider() {
      return logins.provider
    },
    required,
    client: (options) => {
      const client = new SocialLoginClient({ ...required(), ...options })
      opened.push(client)
      return client
    },
    newKey: (userID = '1') => logins.provider.issueAuthKey({ appID: application.appID, userID }),
  }
}

/** What a function throws. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** Asserts a {@link SocialLoginError} of the table, in all its parts, without a planted secret. */
export function expectOutcome(
  error: unknown,
  code: OutcomeCode,
  phase: Phase,
  { retryable }: { readonly retryable: boolean } = OUTCOMES[code],
): SocialLoginError {
  if (!(error instanceof SocialLoginError)) throw new Error('not a SocialLoginError', { cause: error })
  const { status, message } = OUTCOMES[code]
  expect({ code: error.code, phase: error.phase }).toEqual({ code, phase })
  expect(error).toMatchObject({ status, retryable, name: 'SocialLoginError' })
  expect(error.message.startsWith(message)).toBe(true)
  expect(error).not.toHaveProperty('cause')
  expectNoneShown(error, [secret, key, token, marker])
  return error
}
