import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'
import type { Trace, TracedPhase } from '../diagnostics'
import type { SocialLoginError } from '../errors'
import type { LoginInfo } from './info'
import type { HTTPResponse } from './pages/page'
import type { BrowserStore } from './pending-login/store'
import type { UsedLogins } from './pending-login/used-logins'
import type { CallOptions, ProviderResult, SkipUserProfile } from './providers/options'
import type { LoginSettings } from './providers/provider'
import type { HTTPRequest } from './request/headers'

/** What a framework's adapter knows of one request, and can do with it. */
export interface RequestAdapter<User = unknown> {
  readonly http: HTTPRequest
  readonly options: CallOptions
  /** Asks the application for the provider of the request, if there are many. */
  findProvider(): ProviderResult
  readonly store: BrowserStore
  /** A string unique to the signed-in user; undefined if there is none. */
  currentUserKey(): string | undefined
  /** A sentence for the message of `user_changed`: why a user may seem to have changed. */
  currentUserHint?(): string | undefined
  canSignIn(): boolean
  /** Adds `Set-Cookie` headers to the response, whatever the outcome. */
  addCookies(lines: readonly string[]): void
  readonly skipUserProfile?: boolean | SkipUserProfile
  verify(login: ExchangedLogin, loginInfo: LoginInfo): Promise<Verdict<User>>
}

export interface ExchangedLogin {
  readonly params: TokenResponse
  /** Undefined if `skipUserProfile` skipped it. */
  readonly profile: Profile | undefined
}

export interface Verdict<User = unknown> {
  /** The user, or a falsy value for "no". */
  readonly user: User
  readonly info?: unknown
}

/** The outcome of a request, unless it is an error. */
export type LoginAction<User = unknown> =
  | { readonly type: 'redirect'; readonly url: string }
  | { readonly type: 'verdict'; readonly verdict: Verdict<User>; readonly loginInfo: LoginInfo }
  /** A response of our own, or `fallbackError` if the framework exposes no response object. */
  | {
      readonly type: 'respond'
      readonly response: HTTPResponse
      /** Set for a step of the login, not for an outcome. */
      readonly page?: TracedPhase['page']
      readonly fallbackError: SocialLoginError
    }

export interface LoginContext<User = unknown> {
  readonly settings: LoginSettings
  readonly adapter: RequestAdapter<User>
  readonly usedLogins: UsedLogins<Verdict<User>>
  readonly trace: Trace
}
