import { types } from 'node:util'
import { Deadline } from '../client/deadline'
import type { RequestContext } from '../client/endpoints'
import { type Profile, profileOf } from '../client/profile'
import type { TokenResponse } from '../client/responses'
import type { Trace } from '../diagnostics'
import { SocialLoginError } from '../errors'
import type { ProviderSettings } from './provider'

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

interface ExchangeContext {
  readonly settings: { readonly timeout: number; readonly skipUserProfile: boolean | SkipUserProfile }
  readonly provider: ProviderSettings
  readonly trace: Trace
}

/**
 * Exchanges the key for a token, and the token for a profile, under one deadline: `timeout` covers both requests, their
 * retries and `skipUserProfile`. (Each call of the store has as much time again, see `callStore`; verify has `verifyTimeout`.)
 *
 * The client sends a request once more if its connection closes before the response begins, and calls `onRetry`. It never
 * repeats one that was answered, except a profile request that met a server error. A key that is refused on the retry is
 * `provider_unreachable`, because the first request may have spent it.
 *
 * @throws SocialLoginError of phase `exchange` or `profile`, or what `skipUserProfile` threw
 */
export async function exchange(context: ExchangeContext, authKey: string): Promise<ExchangedLogin> {
  const { provider, trace } = context
  const deadline = new Deadline(context.settings.timeout)
  try {
    const params = await trace.run('exchange', (onRetry) => provider.endpoints.exchange(authKey, { deadline, onRetry }))
    const token = params.access_token
    const profile = await trace.run('profile', (onRetry) => fetchProfile(context, token, { deadline, onRetry }))
    provider.onLogin?.()
    return { params, profile }
  } finally {
    deadline.clear()
  }
}

function fetchProfile(
  { settings: { skipUserProfile }, provider }: ExchangeContext,
  accessToken: string,
  request: RequestContext,
): Promise<Profile | undefined> {
  const load = (): Promise<Profile> =>
    provider.endpoints
      .fetchProfile(provider.profileEndpoint, accessToken, request)
      .then((user) => profileOf(user, provider.name, provider.uploadsURL))
  if (typeof skipUserProfile === 'boolean') return skipUserProfile ? Promise.resolve(undefined) : load()
  return callSkipUserProfile(skipUserProfile, accessToken, request.deadline).then((skips) =>
    skips ? undefined : load(),
  )
}

function callSkipUserProfile(skip: SkipUserProfile, accessToken: string, deadline: Deadline): Promise<boolean> {
  return new Promise((resolve, reject) => {
    deadline.addListener(() => reject(skipTimeout()))
    const done = (error: unknown, decision?: boolean): void => (error ? reject(error) : resolve(decision === true))
    // As in passport-oauth2, a function with two parameters calls done, and one with fewer returns its decision.
    const decision: unknown = skip(accessToken, done)
    // `resolve(decision)` would not do: if that promise never settles, the deadline could no longer reject ours.
    if (skip.length < 2) Promise.resolve(decision).then((answer) => resolve(Boolean(answer)), reject)
    else if (types.isPromise(decision)) decision.catch(reject)
  })
}

function skipTimeout(): SocialLoginError {
  return new SocialLoginError('verify_timeout', 'profile', {
    hint: 'It was skipUserProfile, which must answer within the timeout option.',
  })
}
