import type { ExchangeMethod, ProfileEndpoint } from 'passport-social-login'
import { callbackURLs, isSameRoute } from './auth/callback-path'
import type { EnvironmentReader } from './environment'

/** What the environment says about a community. Several members are undefined for a fake provider. */
export interface CommunityConfig {
  /** What pages call it. */
  readonly displayName?: string | undefined
  readonly baseURL?: string | undefined
  readonly clientID?: string | undefined
  readonly clientSecret?: string | undefined
  readonly callbackURL?: string | undefined
  readonly profileEndpoint?: ProfileEndpoint | undefined
  readonly exchangeMethod?: ExchangeMethod | undefined
}

/** One community, or two. */
export type CommunityConfigs = readonly [CommunityConfig, CommunityConfig?]

const NAMES_OF_REAL = ['NAME', 'CLIENT_ID', 'CLIENT_SECRET']
const NAMES_OF_SECOND = [...NAMES_OF_REAL, 'CALLBACK_URL', 'PROFILE_ENDPOINT', 'EXCHANGE_METHOD']

/**
 * Reads `SOCIAL_…` and `SOCIAL2_…`, two sets of variables with the same meaning. Without the second there is one community.
 *
 * @param port that of the application
 */
export function readCommunities(reader: EnvironmentReader, port: number): CommunityConfigs {
  const [first, second] = [readCommunity(reader, 'SOCIAL'), readCommunity(reader, 'SOCIAL2')]
  const namesOfSecond = NAMES_OF_SECOND.map((name) => `SOCIAL2_${name}`)
  reader.requireWith('SOCIAL_BASE_URL', [...NAMES_OF_REAL.map((name) => `SOCIAL_${name}`), 'SOCIAL2_BASE_URL'])
  reader.requireWith('SOCIAL2_BASE_URL', namesOfSecond)
  reader.fakeProviderIsMeant('SOCIAL_BASE_URL', 'SOCIAL_CALLBACK_URL')
  if (!reader.isSet('SOCIAL2_BASE_URL')) return [first]
  reader.problems.push(...conflictsOf(first, second, port))
  return [first, second]
}

function readCommunity(reader: EnvironmentReader, set: 'SOCIAL' | 'SOCIAL2'): CommunityConfig {
  const neededFor = reader.isSet(`${set}_BASE_URL`) && `a provider of your own (${set}_BASE_URL)`
  return {
    displayName: reader.displayName(`${set}_NAME`),
    baseURL: reader.baseURL(`${set}_BASE_URL`),
    clientID: reader.credential(`${set}_CLIENT_ID`, 'clientID', neededFor),
    clientSecret: reader.credential(`${set}_CLIENT_SECRET`, 'clientSecret', neededFor),
    callbackURL: reader.callbackURL(`${set}_CALLBACK_URL`),
    profileEndpoint: reader.choice<ProfileEndpoint>(`${set}_PROFILE_ENDPOINT`, ['user/me', 'get_user_info', 'auto']),
    exchangeMethod: reader.choice<ExchangeMethod>(`${set}_EXCHANGE_METHOD`, ['post', 'get']),
  }
}

/** What the two sets of variables must not have in common. */
function conflictsOf(first: CommunityConfig, second: CommunityConfig, port: number): string[] {
  const problems: string[] = []
  const [one, other] = callbackURLs(first.callbackURL, second.callbackURL, port).map((url) => new URL(url))
  if (one?.origin !== other?.origin) {
    problems.push('SOCIAL2_CALLBACK_URL must have the origin of SOCIAL_CALLBACK_URL: it is the same application.')
  } else if (one && other && isSameRoute(one.pathname, other.pathname)) {
    problems.push(
      'SOCIAL2_CALLBACK_URL must have another path than SOCIAL_CALLBACK_URL: a key of one community could be sent to the other.',
    )
  }
  if (!first.baseURL || !second.baseURL) return problems
  const [here, there] = [new URL(first.baseURL), new URL(second.baseURL)]
  if (here.href === there.href) {
    problems.push('SOCIAL2_BASE_URL must be another community than SOCIAL_BASE_URL.')
  } else if ((first.displayName ?? here.host) === (second.displayName ?? there.host)) {
    problems.push('SOCIAL2_NAME must differ from what pages call the first community (SOCIAL_NAME, or its host).')
  }
  return problems
}
