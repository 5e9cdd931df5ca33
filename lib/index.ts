export type { CallOptions, TokenAnswer } from './client.js'
export { SocialLoginClient } from './client.js'
export type { FailureInfo, OutcomeCode, Phase } from './errors.js'
export { OUTCOMES, SocialLoginError } from './errors.js'
export type { JSONObject, JSONValue } from './json.js'
export type { LoginInfo } from './login-flow.js'
export type {
  AuthenticateOptions,
  ProfileEndpoint,
  SkipUserProfile,
  SocialLoginClientOptions,
  StrategyOptions,
} from './options.js'
export type { PendingLogin, PendingLoginStore } from './pending-login/record.js'
export { SessionStore } from './pending-login/session-store.js'
export type { Profile, SocialLoginUser, UserAnswer } from './profile.js'
export { Strategy } from './strategy.js'
export type {
  Request,
  VerifyCallback,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
} from './verify.js'
