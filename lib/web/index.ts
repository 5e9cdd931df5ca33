export type { Profile } from '../client/profile'
export type { TokenResponse } from '../client/responses'
export type { UserRecord } from '../client/user'
export type { FailureInfo, OutcomeCode } from '../errors'
export { OUTCOMES, SocialLoginError } from '../errors'
export type { Assurance, LoginInfo } from '../login/info'
export type { MultiProviderOptions, Provider, ProviderResult } from '../login/options'
export type { ConfirmPage, RenderConfirmPage } from '../login/pages/confirm-page'
export type { PendingLogin, PendingLoginStore, PendingLoginSummary } from '../login/pending-login'
export type {
  CallbackOptions,
  MultiProviderSocialLoginOptions,
  SocialLoginOptions,
  StartOptions,
  UserID,
} from './options'
export type { CallbackResult, FailureResult, ResponseResult, SuccessResult } from './result'
export { SocialLogin } from './social-login'
