import type { Profile } from '../client/response/profile'
import type { TokenResponse } from '../client/response/responses'
import type { Trace, TracedPhase } from '../diagnostics'
import { mark, type Phase, SocialLoginError } from '../errors'
import type { HTTPResponse } from './pages/page'
import type { PendingLogin } from './pending-login/pending-login'
import type { BrowserStore } from './pending-login/store'
import type { UsedLogins } from './pending-login/used-logins'
import type { ProviderResult, RequestOptions, SkipUserProfile } from './providers/options'
import type { LoginSettings } from './providers/provider'
import type { HTTPRequest } from './request/description'
import type { CallbackRequest } from './request/request'

/** What a framework's adapter knows of one request, and can do with it. */
export interface RequestAdapter<User = unknown> {
  readonly http: HTTPRequest
  readonly options: RequestOptions
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

/** What a request comes to, unless the application itself has thrown. */
export type LoginAction<User = unknown> =
  | { readonly type: 'redirect'; readonly url: string }
  | { readonly type: 'verdict'; readonly verdict: Verdict<User>; readonly loginInfo: LoginInfo }
  /** A step of the login: a page of our own, or `fallbackError` if the framework exposes no response object. */
  | {
      readonly type: 'page'
      readonly page: NonNullable<TracedPhase['page']>
      readonly response: HTTPResponse
      readonly fallbackError: SocialLoginError
    }
  | Refusal

export type Handled<User = unknown> = Exclude<LoginAction<User>, Refusal>

/** An outcome of the table in `errors.ts`, of a start or a callback. */
export interface Refusal {
  readonly type: 'refused'
  readonly error: SocialLoginError
  /** That of the login to which the callback belongs. */
  readonly returnTo?: string
  /** What a script or a prefetch gets, in place of what the application does at a failure. */
  readonly response?: HTTPResponse
}

/**
 * Evidence about a callback, for an application that requires more where it trusts less. Against an attacker only
 * `tabBound` says much: a link to the callback on a page of the provider, such as a chat, has all the rest.
 * @example
 * const sure = assurance.tabBound && assurance.age < 60_000
 */
export interface Assurance {
  /** Milliseconds from the start to the callback. */
  readonly age: number
  /** `Sec-Fetch-Site` of the callback; null if the browser sent none, so that only the Referer was checked. */
  readonly fetchSite: string | null
  /** `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Whose page the Referer of the callback named. */
  readonly referer: 'provider' | 'app' | 'absent'
  /** Whether the callback came to the tab of the start (see `tabBinding`). */
  readonly tabBound: boolean
}

/**
 * What a login adds to `req.authInfo`, which a verify function that gets the request sees, too.
 * @example
 * const { returnTo = '/' }: Partial<LoginInfo> = { ...req.authInfo }
 */
export interface LoginInfo {
  readonly assurance: Assurance
  /** Set on a callback that waited for another one with the same key (a double click), and got its result. */
  readonly duplicate?: true
  /** The local path given to the start. */
  readonly returnTo?: string
  /** The state given to the start. */
  readonly state?: unknown
}

/** The header of a response that is no refusal, whose error has its own. A login counts as one whatever verify says. */
export function markOf(action: Handled): ReturnType<typeof mark> {
  if (action.type === 'redirect') return mark('start')
  if (action.type === 'verdict') return mark('login')
  return mark(action.page === 'router' ? 'navigation_required' : action.page)
}

export interface LoginContext<User = unknown> {
  readonly settings: LoginSettings
  readonly adapter: RequestAdapter<User>
  readonly usedLogins: UsedLogins<Verdict<User>>
  readonly trace: Trace
  /** Called with the login to which a callback belongs, whether or not it succeeds. */
  readonly onOwnCallback: (record: PendingLogin) => void
}

export function createLoginInfo(record: PendingLogin, callback: CallbackRequest): LoginInfo {
  const { state, issuedAt, startSite } = record
  return {
    assurance: {
      age: Date.now() - issuedAt,
      fetchSite: callback.fetchSite ?? null,
      startSite,
      // `isForged` has refused a foreign one.
      referer: callback.referer === 'foreign' ? 'absent' : callback.referer,
      tabBound: callback.tabSecret !== undefined,
    },
    ...returnToOf(record),
    ...(state !== undefined && { state }),
  }
}

/** The member alone, where there is one. */
export function returnToOf({ returnTo }: { readonly returnTo?: string } = {}): { readonly returnTo?: string } {
  return returnTo === undefined ? {} : { returnTo }
}

/** Checked before anything is spent: otherwise every login would fail after its key has been exchanged. */
export function requireSignIn({ canSignIn }: Pick<RequestAdapter, 'canSignIn'>, phase: Phase): void {
  if (!canSignIn()) throw new SocialLoginError('session_unsupported', phase)
}
