import type { Endpoints } from '../client/endpoints'
import type { ParsedOptions } from '../client/option-values'
import type { ProfileEndpoint } from '../client/options'
import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'
import type { Semaphore } from '../client/semaphore'
import type { Trace, TracedPhase } from '../diagnostics'
import type { SocialLoginError } from '../errors'
import type { LoginInfo } from './info'
import type { HTTPResponse } from './pages/page'
import type { BrowserStore } from './pending-login/store'
import type { UsedLogins } from './pending-login/used-logins'
import type { CallOptions, ProviderResult, SHARED_OPTIONS, SkipUserProfile } from './providers/options'
import type { HTTPRequest, OriginPolicy } from './request/headers'

/** What all logins of one strategy at one provider have in common. */
export interface LoginSettings extends ParsedOptions<typeof SHARED_OPTIONS>, OriginPolicy {
  /** The `provider` of profiles. */
  readonly providerName: string
  readonly baseURL: string
  readonly endpoints: Endpoints
  readonly profileEndpoint: ProfileEndpoint
  readonly uploadsURL: URL | undefined
  /** What people call the provider. */
  readonly displayName: string
  /** Distinguishes the provider from those of other strategies: the names, the address and the application id. */
  readonly identity: readonly string[]
  /** Digest of the identity and the callback's path. */
  readonly strategyDigest: string
  /** One slot for each login that waits for the provider. */
  readonly loginSlots: Semaphore
  /** Called after each exchange that has brought a profile. @throws SocialLoginError `provider_invalid` if another provider has the name */
  readonly onExchanged?: () => void
}

/** What a framework's adapter knows of one request, and can do with it. */
export interface RequestAdapter<User = unknown> {
  readonly http: HTTPRequest
  readonly options: CallOptions
  /** Asks the application for the provider of the request, if there are many. */
  findProvider(): ProviderResult
  /** The pending login of the browser that sent the request. */
  readonly store: BrowserStore
  /** A string unique to the signed-in user; undefined if there is none. */
  currentUserKey(): string | undefined
  /** Whether the framework could sign a user in on this request. */
  canSignIn(): boolean
  /** Whether a callback that a signed-in user repeats may continue without a login. */
  readonly allowRepeatedCallback: boolean
  readonly skipUserProfile?: boolean | SkipUserProfile
  /** Asks the application for its verdict on the login. (The strategy does so by `callVerify` of passport/verify.ts.) */
  verify(login: ExchangedLogin, loginInfo: LoginInfo): Promise<Verdict<User>>
}

/** What an `auth_key` was exchanged for. */
export interface ExchangedLogin {
  readonly params: TokenResponse
  /** Undefined if `skipUserProfile` skipped it. */
  readonly profile: Profile | undefined
}

/** The application's verdict on a login. */
export interface Verdict<User = unknown> {
  /** The user, or a falsy value for "no". */
  readonly user: User
  /** What the application adds to the verdict, such as a message. */
  readonly info: unknown
}

/** The outcome of a request, unless it is an error. */
export type LoginAction<User = unknown> =
  /** Redirect to the provider's login page. */
  | { readonly type: 'redirect'; readonly url: string }
  /** The application has given its verdict. */
  | { readonly type: 'verdict'; readonly verdict: Verdict<User>; readonly loginInfo: LoginInfo }
  /** A repeated callback of a signed-in user: continues to the login's destination. */
  | { readonly type: 'continue' }
  /** A response of our own, or `fallbackError` if the framework exposes no response object. */
  | {
      readonly type: 'respond'
      readonly response: HTTPResponse
      /** Set for a step of the login, not for an outcome. */
      readonly page?: TracedPhase['page']
      readonly fallbackError: SocialLoginError
    }

/** Everything needed to handle one request. */
export interface LoginContext<User = unknown> {
  readonly settings: LoginSettings
  readonly adapter: RequestAdapter<User>
  readonly usedLogins: UsedLogins<Verdict<User>>
  readonly trace: Trace
}
