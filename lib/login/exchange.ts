import { types } from 'node:util'
import type { SocialLoginClient } from '../client/client'
import { Deadline } from '../client/deadline'
import type { RequestContext } from '../client/http/request'
import type { ProfileEndpoint } from '../client/options'
import { type Profile, profileOf } from '../client/profile'
import type { TokenResponse } from '../client/responses'
import type { Trace } from '../diagnostics'
import { SocialLoginError } from '../errors'
import type { Refusals } from './refusals'

/** What an `auth_key` was exchanged for. */
export interface ExchangedLogin {
  readonly params: TokenResponse
  /** Undefined if `skipUserProfile` skipped it. */
  readonly profile: Profile | undefined
}

/**
 * Decides per login whether to skip the profile request: one parameter returns the decision (or its promise), two
 * parameters call `done`. One signature, not a union of two, so that TypeScript infers the parameters' types.
 *
 * @example
 * const skipUserProfile: SkipUserProfile = async (accessToken) => cache.has(accessToken)
 */
export type SkipUserProfile = (
  accessToken: string,
  done: (error: unknown, skip?: boolean) => void,
) => boolean | Promise<boolean> | void

/** The options that shape an exchange; see `StrategyOptions`. */
export interface ExchangeSettings {
  readonly client: SocialLoginClient
  readonly name: string
  readonly timeout: number
  readonly profileEndpoint: ProfileEndpoint
  readonly skipUserProfile: boolean | SkipUserProfile
  readonly uploadsURL: URL | undefined
}

/**
 * Exchanges a key for a token, and the token for a profile, under one deadline.
 *
 * @throws SocialLoginError of phase `exchange` or `profile`
 */
export async function exchange(
  settings: ExchangeSettings,
  authKey: string,
  trace: Trace,
  refusals: Refusals,
): Promise<ExchangedLogin> {
  const { client, timeout } = settings
  const deadline = new Deadline(timeout)
  try {
    const params = await refusals.watch(
      trace.run('exchange', (onRetry) => client.exchange(authKey, { deadline, onRetry })),
    )
    const token = params.access_token
    const profile = await trace.run('profile', (onRetry) => fetchProfile(settings, token, { deadline, onRetry }))
    return { params, profile }
  } finally {
    deadline.clear()
  }
}

async function fetchProfile(
  { client, name, profileEndpoint, skipUserProfile, uploadsURL }: ExchangeSettings,
  accessToken: string,
  context: RequestContext,
): Promise<Profile | undefined> {
  if (await decideSkip(skipUserProfile, accessToken, context.deadline)) return undefined
  return profileOf(await client.fetchProfile(profileEndpoint, accessToken, context), name, uploadsURL)
}

function decideSkip(
  skip: boolean | SkipUserProfile,
  accessToken: string,
  deadline: Deadline,
): boolean | Promise<boolean> {
  if (typeof skip === 'boolean') return skip
  return new Promise((resolve, reject) => {
    deadline.onEnd(() => reject(skipTimeout()))
    const done = (error: unknown, decision?: boolean): void => (error ? reject(error) : resolve(decision === true))
    // As in passport-oauth2: a function with two parameters calls done, one with fewer returns its decision.
    const decision: unknown = skip(accessToken, done)
    // Not `resolve(decision)`: a promise that never settles would keep the deadline from rejecting.
    if (skip.length < 2) Promise.resolve(decision).then((answer) => resolve(Boolean(answer)), reject)
    else if (types.isPromise(decision)) decision.catch(reject)
  })
}

function skipTimeout(): SocialLoginError {
  return new SocialLoginError('verify_timeout', 'profile', {
    hint: 'It was skipUserProfile, which must answer within the timeout option.',
  })
}
