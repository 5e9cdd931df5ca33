export type { Profile } from '../client/response/profile'
export type { TokenResponse } from '../client/response/responses'
export type { UserRecord } from '../client/response/user'
export type { TracedPhase } from '../diagnostics'
export { onPhaseEnd } from '../diagnostics'
export type { FailureInfo, OutcomeCode, Phase } from '../errors'
export { OUTCOMES, SocialLoginError } from '../errors'
export type { Assurance, LoginInfo } from '../login/context'
export type { ConfirmPage, RenderConfirmPage } from '../login/pages/confirm-page'
export type { PendingLogin, PendingLoginSummary } from '../login/pending-login/pending-login'
export type { PendingLoginStore } from '../login/pending-login/store'
export type { MultiProviderOptions, Provider, ProviderResult } from '../login/providers/options'
export type {
  CallbackOptions,
  MultiProviderSocialLoginOptions,
  SocialLoginOptions,
  StartOptions,
  UserID,
} from './options'
export type { CallbackResult, FailureResult, ResponseResult, SuccessResult } from './result'
export { SocialLogin } from './social-login'
