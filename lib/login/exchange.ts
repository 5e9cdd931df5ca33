import { types } from 'node:util'
import { Deadline } from '../client/deadline'
import type { RequestContext } from '../client/endpoints'
import { type Profile, profileOf } from '../client/response/profile'
import { SocialLoginError } from '../errors'
import type { ExchangedLogin, LoginContext, RequestAdapter } from './context'
import type { SkipUserProfile } from './providers/options'
import type { LoginSettings } from './providers/provider'

type ExchangeContext = Pick<LoginContext, 'settings' | 'trace'> & {
  readonly adapter: Pick<RequestAdapter, 'skipUserProfile'>
}

/**
 * Exchanges the key for a token, and the token for a profile. One deadline, `timeout`, covers both requests, their
 * retries and `skipUserProfile`. `client/endpoints.ts` makes the requests; `client/http/` sends them, and `retry.ts`
 * there says when it sends one again.
 * @throws SocialLoginError of phase `exchange` or `profile`, or what `skipUserProfile` threw
 */
export async function exchange(context: ExchangeContext, authKey: string): Promise<ExchangedLogin> {
  const { settings, trace } = context
  const { endpoints } = settings
  const deadline = new Deadline(settings.timeout)
  try {
    const params = await trace.run('exchange', (onRetry) => endpoints.exchange(authKey, { deadline, onRetry }))
    const token = params.access_token
    const profile = await trace.run('profile', (onRetry) => fetchProfile(context, token, { deadline, onRetry }))
    // Where there are many providers, this one's name belongs to its address from now on.
    settings.onExchanged?.()
    return { params, profile }
  } finally {
    deadline.clear()
  }
}

export async function loadProfile(
  { endpoints, profileEndpoint, providerName, uploadsURL }: LoginSettings,
  accessToken: string,
  request: RequestContext,
): Promise<Profile> {
  return profileOf(await endpoints.fetchProfile(profileEndpoint, accessToken, request), providerName, uploadsURL)
}

function fetchProfile(
  { settings, adapter: { skipUserProfile: skip } }: ExchangeContext,
  accessToken: string,
  request: RequestContext,
): Promise<Profile | undefined> {
  const load = (): Promise<Profile> => loadProfile(settings, accessToken, request)
  if (typeof skip !== 'function') return skip ? Promise.resolve(undefined) : load()
  return callSkip(skip, accessToken, request.deadline).then((skips) => (skips ? undefined : load()))
}

function callSkip(skip: SkipUserProfile, accessToken: string, deadline: Deadline): Promise<boolean> {
  return new Promise((resolve, reject) => {
    deadline.onEnd(() => reject(skipTimeout()))
    const decide = (decision: unknown): void => resolve(decision === true)
    const done = (error: unknown, decision?: boolean): void => (error ? reject(error) : decide(decision))
    // As in passport-oauth2, a function with two parameters calls done, and one with fewer returns its decision.
    const decision: unknown = skip(accessToken, done)
    // `resolve(decision)` would not do: if that promise never settles, the deadline could no longer reject ours.
    if (skip.length < 2) Promise.resolve(decision).then(decide, reject)
    else if (types.isPromise(decision)) decision.catch(reject)
  })
}

function skipTimeout(): SocialLoginError {
  return new SocialLoginError('verify_timeout', 'profile', {
    hint: 'It was skipUserProfile, which must answer within the timeout option.',
  })
}
