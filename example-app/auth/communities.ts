import { randomBytes } from 'node:crypto'
import { SocialLoginClient, type StrategyOptions } from 'passport-social-login'
import { FakeProvider, type FakeProviderOptions, type FakeUserInput } from 'passport-social-login/testing'
import {
  COMMUNITY_PATHS,
  type CommunityConfig,
  type CommunityPaths,
  type Config,
  ConfigError,
  callbackURLs,
} from '../config'
import { reasonOf } from '../storage/database'
import type { ShownCommunity } from '../views/pages'

/** A community that users sign in at: a provider, with what routes and pages need. */
export interface Community extends ShownCommunity {
  readonly callbackPath: string
  readonly options: StrategyOptions
  /** The client for requests beside logins. */
  readonly client: SocialLoginClient
}

/** The communities of this application. All callbacks have the same origin. */
export type Communities = readonly [Community, ...Community[]]

/** Two communities with invented users. */
export type FakeProviders = readonly [FakeProvider, FakeProvider]

// Ada is a member of both communities; otherwise the same id belongs to different users.
const SECOND_PEOPLE: readonly FakeUserInput[] = [
  { user_id: '1', user_name: 'vera', user_firstname: 'Vera', user_lastname: 'Menchik' },
  { user_id: '2', user_name: 'paul', user_firstname: 'Paul', user_lastname: 'Morphy' },
  { user_id: '3', user_name: 'ada', user_firstname: 'Ada', user_lastname: 'Lovelace', user_email: 'ada@chess.example' },
]

// The names are constant, so that accounts survive a change of a fake provider's port.
const FIRST_FAKE = { name: 'fake-provider', displayName: 'Fake Social' }
const SECOND_FAKE = { name: 'fake-provider-2', displayName: 'Fake Chess Club' }
// From the port of the first fake provider to that of the second, unless PROVIDER2_PORT is set.
const PORT_DISTANCE = 100

/** Starts the fake providers unless a real one is configured. */
export async function startFakeProviders(config: Config): Promise<FakeProviders | undefined> {
  if (config.communities[0].BASE_URL !== undefined) return undefined
  const { PROVIDER_PORT: port, PROVIDER2_PORT: secondPort = port === 0 ? 0 : port + PORT_DISTANCE } = config
  const first = await startFakeProvider('PROVIDER_PORT', { port, name: FIRST_FAKE.displayName })
  const people = { name: SECOND_FAKE.displayName, users: SECOND_PEOPLE }
  const second = await startFakeProvider('PROVIDER2_PORT', { port: secondPort, ...people })
  return [first, second]
}

async function startFakeProvider(variable: string, options: FakeProviderOptions): Promise<FakeProvider> {
  try {
    return await FakeProvider.start(options)
  } catch (error) {
    const isTaken = reasonOf(error) === 'EADDRINUSE'
    const reason = isTaken ? `port ${options.port} is taken: choose another one, or 0 for a free one` : reasonOf(error)
    throw new ConfigError([`${variable} cannot be used: ${reason}`])
  }
}

/** @param port that of the application, for callback URLs that are not configured */
export function createCommunities(config: Config, fakes: FakeProviders | undefined, port: number): Communities {
  const [first, second] = config.communities
  const [firstPaths, secondPaths] = COMMUNITY_PATHS
  const [firstCallback, secondCallback] = callbackURLs(config.communities, port)
  if (!fakes) {
    const one = toCommunity(first, firstPaths, firstCallback)
    return second ? [one, toCommunity(second, secondPaths, secondCallback)] : [one]
  }
  const [one, two] = [register(fakes[0], firstCallback), register(fakes[1], secondCallback)]
  const { PROFILE_ENDPOINT } = first
  return [
    { ...toCommunity({ ...one, PROFILE_ENDPOINT }, firstPaths, firstCallback), ...FIRST_FAKE },
    { ...toCommunity(two, secondPaths, secondCallback), ...SECOND_FAKE },
  ]
}

/** Registers this application with a fake provider, as a developer would on a real provider's dashboard. */
function register(fake: FakeProvider, redirectURL: string): CommunityConfig {
  const [appID, appSecret] = ['example-app', randomBytes(32).toString('base64url')]
  fake.registerApplication({ name: 'Example', redirectURL, appID, appSecret })
  return { BASE_URL: fake.baseURL, CLIENT_ID: appID, CLIENT_SECRET: appSecret }
}

function toCommunity(config: CommunityConfig, paths: CommunityPaths, callbackURL: string): Community {
  const { BASE_URL: baseURL = '', CLIENT_ID: clientID = '', CLIENT_SECRET: clientSecret = '' } = config
  // The name must not depend on the spelling of the URL, such as capitals in the host or `:443`.
  const { origin, host, href } = new URL(baseURL)
  const provider = { baseURL, clientID, clientSecret, exchangeMethod: config.EXCHANGE_METHOD }
  return {
    ...paths,
    name: href.replace(/\/$/, ''),
    displayName: config.NAME ?? host,
    origin,
    host,
    callbackPath: new URL(callbackURL).pathname,
    // Passport calls the strategy of a community by the path at which its logins start.
    options: { ...provider, name: paths.startPath, callbackURL, profileEndpoint: config.PROFILE_ENDPOINT },
    client: new SocialLoginClient(provider),
  }
}
