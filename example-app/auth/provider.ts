import { randomBytes } from 'node:crypto'
import type { SocialLoginClientOptions, StrategyOptions } from 'passport-social-login'
import { FakeProvider } from 'passport-social-login/testing'
import { type Config, ConfigError, defaultCallbackURL } from '../config'

/** The provider that this application signs its users in with. */
export interface Provider {
  readonly options: StrategyOptions<false> & SocialLoginClientOptions & { readonly callbackURL: string }
  /** Stored with each login, because the same user id belongs to different people at different providers. */
  readonly key: string
  readonly origin: string
  readonly host: string
  /** The name that pages show. */
  readonly name: string
}

const FAKE_PROVIDER_NAME = 'Fake Social'

export async function startFakeProvider({ fakeProviderPort: port }: Config): Promise<FakeProvider | undefined> {
  if (port === undefined) return undefined
  try {
    return await FakeProvider.start({ port })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new ConfigError([`PROVIDER_PORT cannot be used: ${reason}`])
  }
}

export function chooseProvider(config: Config, fake: FakeProvider | undefined, port: number): Provider {
  const { baseURL } = config.provider
  if (baseURL !== undefined) return realProvider(config, baseURL, port)
  if (!fake) throw new TypeError('There is neither a real provider nor a fake one')
  return fakeProvider(config, fake, port)
}

function realProvider({ provider }: Config, baseURL: string, port: number): Provider {
  const {
    name,
    clientID = '',
    clientSecret = '',
    callbackURL = defaultCallbackURL(port),
    profileEndpoint,
    exchangeMethod,
  } = provider
  // The key does not depend on the spelling, such as capitals in the host or `:443`.
  const { origin, host, href } = new URL(baseURL)
  const options = { baseURL, clientID, clientSecret, callbackURL, profileEndpoint, exchangeMethod }
  return { options, key: href, origin, host, name: name ?? host }
}

/** Registers this application with the fake provider, as a developer would on a real provider's dashboard. */
function fakeProvider({ provider }: Config, fake: FakeProvider, port: number): Provider {
  const { callbackURL = defaultCallbackURL(port), profileEndpoint } = provider
  const [clientID, clientSecret] = ['example-app', randomBytes(32).toString('base64url')]
  fake.registerApplication({ name: 'Example', redirectURL: callbackURL, appID: clientID, appSecret: clientSecret })
  const options = { baseURL: fake.baseURL, clientID, clientSecret, callbackURL, profileEndpoint }
  // Constant, so that accounts survive a change of the fake provider's port.
  const { origin, host } = new URL(fake.origin)
  return { options, key: 'fake-provider', origin, host, name: FAKE_PROVIDER_NAME }
}
