export type { CallOptions, TokenAnswer } from './client'
export { SocialLoginClient } from './client'
export type { TracedPhase } from './diagnostics'
export type { FailureInfo, OutcomeCode, Phase, SocialLoginErrorDetails } from './errors'
export { OUTCOMES, SocialLoginError } from './errors'
export type { JSONObject, JSONValue } from './json'
export type { Assurance, LoginInfo } from './login-info'
export type {
  AuthenticateOptions,
  ProfileEndpoint,
  SocialLoginClientOptions,
  StrategyOptions,
} from './options'
export type { ConfirmPage, RenderConfirmPage } from './pages/confirm-page'
export type { CookieStoreOptions } from './pending-login/cookie-store'
export { CookieStore } from './pending-login/cookie-store'
export type { PendingLogin, PendingLoginStore, StateParameter } from './pending-login/record'
export { SessionStore } from './pending-login/session-store'
export type { Profile, ProfileOptions, SocialLoginUser, UserAnswer } from './profile'
export { toProfile } from './profile'
export type { SkipUserProfile } from './redeem'
export { Strategy } from './strategy'
export type { RequestDispatcher } from './transport'
export type {
  Request,
  VerifyCallback,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
  VerifyResult,
} from './verify'
