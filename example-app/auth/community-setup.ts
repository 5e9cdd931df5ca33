import { randomBytes } from 'node:crypto'
import { FakeProvider, type FakeProviderOptions, type FakeUserInput } from 'passport-social-login/testing'
import type { CommunityConfig } from '../community-config'
import { type Config, ConfigError } from '../config'
import { COMMUNITY_PATHS, type CommunityPaths, callbackURLs } from './callback-path'
import { Communities, type Community } from './communities'

/** Two communities with invented people. */
export type FakeProviders = readonly [FakeProvider, FakeProvider]

// Ada is a member of both communities; otherwise the same id belongs to different people.
const SECOND_PEOPLE: readonly FakeUserInput[] = [
  { user_id: '1', user_name: 'vera', user_firstname: 'Vera', user_lastname: 'Menchik' },
  { user_id: '2', user_name: 'paul', user_firstname: 'Paul', user_lastname: 'Morphy' },
  { user_id: '3', user_name: 'ada', user_firstname: 'Ada', user_lastname: 'Lovelace', user_email: 'ada@chess.example' },
]

// Constant names, so that accounts survive a change of a fake provider's port.
const FIRST_FAKE = { name: 'fake-provider', displayName: 'Fake Social' }
const SECOND_FAKE = { name: 'fake-provider-2', displayName: 'Fake Chess Club' }

export async function startFakeProviders({ fakeProviderPorts: ports }: Config): Promise<FakeProviders | undefined> {
  if (!ports) return undefined
  const first = await startFakeProvider('PROVIDER_PORT', { port: ports[0], name: FIRST_FAKE.displayName })
  const second = await startFakeProvider('PROVIDER2_PORT', {
    port: ports[1],
    name: SECOND_FAKE.displayName,
    users: SECOND_PEOPLE,
  })
  return [first, second]
}

async function startFakeProvider(variable: string, options: FakeProviderOptions): Promise<FakeProvider> {
  try {
    return await FakeProvider.start(options)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new ConfigError([`${variable} cannot be used: ${reason}`])
  }
}

/** @param port that of the application, for callback URLs that are not configured */
export function createCommunities(config: Config, fakes: FakeProviders | undefined, port: number): Communities {
  const [first, second] = config.communities
  const [firstPaths, secondPaths] = COMMUNITY_PATHS
  const [firstCallback, secondCallback] = callbackURLs(first.callbackURL, second?.callbackURL, port)
  if (fakes) {
    const { profileEndpoint } = first
    const [one, two] = [register(fakes[0], firstCallback), register(fakes[1], secondCallback)]
    return new Communities([
      { ...toCommunity({ ...one, profileEndpoint }, firstPaths, firstCallback), ...FIRST_FAKE },
      { ...toCommunity(two, secondPaths, secondCallback), ...SECOND_FAKE },
    ])
  }
  const one = toCommunity(first, firstPaths, firstCallback)
  return new Communities(second ? [one, toCommunity(second, secondPaths, secondCallback)] : [one])
}

/** Registers this application with a fake provider, as a developer would on a real provider's dashboard. */
function register(fake: FakeProvider, callbackURL: string): CommunityConfig {
  const [appID, appSecret] = ['example-app', randomBytes(32).toString('base64url')]
  fake.registerApplication({ name: 'Example', redirectURL: callbackURL, appID, appSecret })
  return { baseURL: fake.baseURL, clientID: appID, clientSecret: appSecret }
}

function toCommunity(config: CommunityConfig, paths: CommunityPaths, callbackURL: string): Community {
  const { displayName, baseURL = '', clientID = '', clientSecret = '', profileEndpoint, exchangeMethod } = config
  // As a name, it does not depend on the spelling, such as capitals in the host or `:443`.
  const { origin, host, href } = new URL(baseURL)
  return {
    ...paths,
    name: href,
    displayName: displayName ?? host,
    origin,
    host,
    callbackURL,
    callbackPath: new URL(callbackURL).pathname,
    baseURL,
    clientID,
    clientSecret,
    profileEndpoint,
    exchangeMethod,
  }
}
