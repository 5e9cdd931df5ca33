export type { CallOptions, TokenAnswer } from './client/client'
export { SocialLoginClient } from './client/client'
export type { TracedPhase } from './diagnostics'
export type { FailureInfo, OutcomeCode, Phase, SocialLoginErrorDetails } from './errors'
export { OUTCOMES, SocialLoginError } from './errors'
export type { JSONObject, JSONValue } from './client/json'
export type { Assurance, LoginInfo } from './login/info'
export type {
  AuthenticateOptions,
  ProfileEndpoint,
  SocialLoginClientOptions,
  StrategyOptions,
} from './passport/options'
export type { ConfirmPage, RenderConfirmPage } from './login/pages/confirm-page'
export type { CookieStoreOptions } from './login/stores/cookie-store'
export { CookieStore } from './login/stores/cookie-store'
export type { PendingLogin, PendingLoginStore, StateParameter } from './login/pending-login'
export { SessionStore } from './login/stores/session-store'
export type { Profile, ProfileOptions, SocialLoginUser, UserAnswer } from './client/profile'
export { toProfile } from './client/profile'
export type { SkipUserProfile } from './login/exchange'
export { Strategy } from './passport/strategy'
export type { RequestDispatcher } from './client/http/dispatcher'
export type {
  Request,
  VerifyCallback,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
  VerifyResult,
} from './passport/verify'
