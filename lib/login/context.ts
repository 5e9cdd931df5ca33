import type { Semaphore } from '../client/semaphore'
import type { Trace } from '../diagnostics'
import type { SocialLoginError } from '../errors'
import type { BrowserStore } from './browser-store'
import type { ExchangedLogin, ExchangeSettings } from './exchange'
import type { LoginInfo } from './info'
import type { RenderConfirmPage } from './pages/confirm-page'
import type { HTTPResponse } from './pages/page'
import type { HTTPRequest, RequestRules } from './request-headers'
import type { UsedLogins } from './used-logins'

/** What all logins of one strategy have in common. */
export interface LoginSettings extends ExchangeSettings {
  /** What tells this strategy from others: its name, the provider and the application id. */
  readonly identity: readonly string[]
  readonly rules: RequestRules
  readonly confirmPage: RenderConfirmPage | undefined
  readonly maxConcurrentLogins: number
}

/** What an application may give to a single start or callback. */
export interface LoginOptions {
  readonly returnTo?: unknown
  readonly state?: unknown
  readonly callbackURL?: string | undefined
}

/** One request, as the adapter of a framework hands it in. */
export interface LoginRequest {
  readonly http: HTTPRequest
  readonly options: LoginOptions
  /** The pending login of the browser that sent the request. */
  readonly store: BrowserStore
  /** Who is signed in: a text that differs between users; undefined for nobody. */
  readonly currentUserKey: () => string | undefined
  /** Whether a callback that comes again, to somebody who is signed in, may go on without a login. */
  readonly mayContinueOnReplay: boolean
  /** Asks the application what it makes of the login. */
  verify(login: ExchangedLogin, info: LoginInfo): Promise<Verdict>
}

/** What an application made of a login. */
export interface Verdict {
  /** The user, or something falsy for "no". */
  readonly user: unknown
  readonly info: unknown
}

/** What a request ends in, if not in an error. */
export type LoginAction =
  /** To the provider's login page. */
  | { readonly type: 'redirect'; readonly url: string }
  /** The application has decided. */
  | { readonly type: 'decided'; readonly verdict: Verdict; readonly info: LoginInfo }
  /** A callback that came again, to somebody who is signed in: goes on to where the login led. */
  | { readonly type: 'continue' }
  /** A response of our own, or the error `otherwise` where the framework gives the adapter no response to write. */
  | { readonly type: 'respond'; readonly response: HTTPResponse; readonly otherwise: SocialLoginError }

/** All that the decision about one request needs. */
export interface LoginContext {
  readonly settings: LoginSettings
  readonly request: LoginRequest
  /** The settings' own, but for the callback URL that the request was given. */
  readonly rules: RequestRules
  /** Of the strategy's identity and the callback URL of this request. */
  readonly strategyDigest: string
  readonly usedLogins: UsedLogins<Verdict>
  /** One slot for each login that waits for the provider. */
  readonly slots: Semaphore
  readonly trace: Trace
}
