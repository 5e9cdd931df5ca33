export type { CallOptions, TokenAnswer } from './client'
export { SocialLoginClient } from './client'
export type { FailureInfo, OutcomeCode, Phase } from './errors'
export { OUTCOMES, SocialLoginError } from './errors'
export type { JSONObject, JSONValue } from './json'
export type { LoginInfo } from './login-flow'
export type {
  AuthenticateOptions,
  ProfileEndpoint,
  SkipUserProfile,
  SocialLoginClientOptions,
  StrategyOptions,
} from './options'
export type { PendingLogin, PendingLoginStore } from './pending-login/record'
export { SessionStore } from './pending-login/session-store'
export type { Profile, SocialLoginUser, UserAnswer } from './profile'
export { Strategy } from './strategy'
export type {
  Request,
  VerifyCallback,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
} from './verify'
