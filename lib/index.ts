export type { CallOptions } from './client/client'
export { SocialLoginClient } from './client/client'
export type { RequestDispatcher } from './client/http/transport'
export type { ExchangeMethod, ProfileEndpoint, SocialLoginClientOptions } from './client/options'
export type { JSONObject, JSONValue } from './client/response/json'
export type { Profile, ProfileOptions } from './client/response/profile'
export { toProfile } from './client/response/profile'
export type { TokenResponse } from './client/response/responses'
export type { SocialLoginUser, UserRecord, UserResponse } from './client/response/user'
export type { TracedPhase } from './diagnostics'
export { onPhaseEnd } from './diagnostics'
export type { FailureInfo, OutcomeCode, Phase, SocialLoginErrorDetails } from './errors'
export { OUTCOMES, SocialLoginError } from './errors'
export type { Assurance, LoginInfo } from './login/context'
export type { ConfirmPage, RenderConfirmPage } from './login/pages/confirm-page'
export type { PendingLogin, PendingLoginSummary } from './login/pending-login/pending-login'
export type { PendingLoginStore } from './login/pending-login/store'
export { CookieStore } from './login/pending-login/stores/cookie-store'
export type { CookieStoreOptions } from './login/pending-login/stores/sealed-cookie'
export { SessionStore } from './login/pending-login/stores/session-store'
export type { Provider, ProviderResult, SkipUserProfile } from './login/providers/options'
export type { AuthenticateOptions, MultiProviderStrategyOptions, StrategyOptions } from './passport/options'
export { Strategy } from './passport/strategy'
export type {
  Request,
  VerifyCallback,
  VerifyFunction,
  VerifyFunctionWithParams,
  VerifyFunctionWithRequest,
  VerifyFunctionWithRequestAndParams,
  VerifyResult,
} from './passport/verify-types'

import { Strategy } from './passport/strategy'

// As with other strategies, the package itself is the constructor (`new (require('passport-social-login'))`, and the default
// import), and all exports are its members. The types have named exports only: a class whose `Strategy` differs from that
// of its base class is an error of TypeScript (TS2417), and `export default` would promise a member `default`.
const { __esModule: _, ...members } = Object.getOwnPropertyDescriptors(exports)
module.exports = Object.defineProperties(Strategy, members)
