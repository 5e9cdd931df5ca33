import type { Trace } from '../diagnostics'
import type { SocialLoginError } from '../errors'
import type { BrowserStore } from './browser-store'
import type { ExchangedLogin, SkipUserProfile } from './exchange'
import type { LoginInfo } from './info'
import type { ProviderResult } from './options'
import type { RenderConfirmPage } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import type { ProviderSettings } from './provider'
import type { ManyProviders, OneProvider } from './providers'
import type { HTTPRequest, OriginPolicy } from './request-headers'
import type { UsedLogins } from './used-logins'

/** What all logins of one strategy have in common. */
export interface LoginSettings {
  /** Of the strategy. */
  readonly name: string
  /** Milliseconds for the exchange and the profile together, and for each call of a store. */
  readonly timeout: number
  readonly skipUserProfile: boolean | SkipUserProfile
  readonly confirmPage: RenderConfirmPage | undefined
  readonly providers: OneProvider | ManyProviders
}

/** Options of a single start or callback. */
export interface LoginOptions {
  readonly returnTo?: unknown
  readonly state?: unknown
  readonly callbackURL?: string | undefined
}

/** What a framework's adapter knows of one request, and can do with it. */
export interface RequestAdapter<User = unknown> {
  readonly http: HTTPRequest
  readonly options: LoginOptions
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
  /** Asks the application for its verdict on the login. (The strategy does so by `callVerify` of passport/verify.ts.) */
  verify(login: ExchangedLogin, loginInfo: LoginInfo): Promise<Verdict<User>>
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
  | { readonly type: 'respond'; readonly response: HTTPResponse; readonly fallbackError: SocialLoginError }

/** Everything needed to handle one request. */
export interface LoginContext<User = unknown> {
  readonly settings: LoginSettings
  readonly adapter: RequestAdapter<User>
  readonly provider: ProviderSettings
  /** Those of the provider, except for a callback URL given for this request. */
  readonly policy: OriginPolicy
  /** Digest of the provider's identity and this request's callback URL. */
  readonly strategyDigest: string
  readonly usedLogins: UsedLogins<Verdict<User>>
  readonly trace: Trace
}
