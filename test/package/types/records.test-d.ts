import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { Profile as PassportProfile } from 'passport'
import {
  type ExchangeMethod,
  type FailureInfo,
  type JSONObject,
  type LoginInfo,
  OUTCOMES,
  type OutcomeCode,
  type Profile,
  SocialLoginClient,
  SocialLoginError,
  type SocialLoginUser,
  type TracedPhase,
} from 'passport-social-login'
import { FakeProvider, type FakeUser, type ProviderBehaviours } from 'passport-social-login/testing'
import { type Equal, options, same } from './support'

export function profile(of: Profile): PassportProfile {
  same<Equal<typeof of.id, string>>(true)
  same<Equal<typeof of.displayName, string>>(true)
  same<Equal<typeof of.username, string | undefined>>(true)
  same<Equal<typeof of.badge, boolean | undefined>>(true)
  same<Equal<typeof of._raw, string>>(true)
  same<Equal<typeof of._json, JSONObject>>(true)
  // @ts-expect-error the profile is not any
  of.verified_email
  return of
}

export function info(of: LoginInfo): void {
  same<Equal<typeof of.assurance.age, number>>(true)
  same<Equal<typeof of.state, unknown>>(true)
}

// The user of an application is its own.
// @ts-expect-error not on Express.User
export type OnUser = Express.User['displayName']

export async function client(): Promise<void> {
  const { callbackURL: _, ...provider } = options
  const exchangeMethod: ExchangeMethod = 'get'
  const social = new SocialLoginClient({ ...provider, exchangeMethod, userAgent: 'MyApp/1.0' })
  const { access_token } = await social.exchangeAuthKey('key', { signal: AbortSignal.timeout(1000) })
  same<Equal<typeof access_token, string>>(true)
  const user = await social.getCurrentUser(access_token)
  same<Equal<typeof user, SocialLoginUser>>(true)
  same<Equal<typeof user.user_id, string>>(true)
  same<Equal<typeof user.user_verified, boolean | null>>(true)
  same<Equal<Awaited<ReturnType<typeof social.fetchUser>>['user'], SocialLoginUser>>(true)
  await social.fetchUser('auto', access_token)
  // @ts-expect-error not one of the endpoints
  await social.fetchUser('me', access_token)
  // @ts-expect-error a client has no callback
  new SocialLoginClient(options).callbackURL
}

export function errors(error: unknown, failure: FailureInfo): string {
  same<Equal<typeof failure.code, OutcomeCode>>(true)
  if (!(error instanceof SocialLoginError)) return failure.message
  same<Equal<typeof error.code, OutcomeCode>>(true)
  same<Equal<typeof error.retryAfter, number | undefined>>(true)
  // @ts-expect-error there is no such code
  if (error.code === 'login_failed') return 'never'
  return OUTCOMES[error.code].message
}

export function diagnostics(durations: number[]): void {
  tracingChannel<unknown, TracedPhase>('passport-social-login:verify').start.bindStore(
    new AsyncLocalStorage(),
    ({ strategy, duration = 0 }) => durations.push(strategy.length + duration),
  )
}

export async function testing(): Promise<FakeUser> {
  const provider = await FakeProvider.start({ mode: 'as-deployed', port: 0 })
  // @ts-expect-error there is no such endpoint
  provider.failNext('token', { status: 500 })
  const postAnswer: ProviderBehaviours['postAnswer'] = 'invalid-app-id'
  provider.setMode({ getOnly: true, postAnswer, requireUserAgent: true })
  return provider.addUser({ user_firstname: 'Grace' })
}
