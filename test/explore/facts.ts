import type { PendingLogin } from '../../lib'
import type { ProviderName } from './configuration'
import type { RowName } from './rows'

/** A login that a start has stored: what the world knows of it, whatever its record says. */
export interface Begun {
  readonly record: PendingLogin
  readonly browser: Browser
  readonly tab: Tab
  readonly provider: ProviderName
  /** The request that began it. */
  readonly row: RowName
  /** The number of the event that saved it in a session. */
  savedAt: number | undefined
  /** By the wall clock of its process. */
  readonly issuedAt: number
  /** Who was signed in. */
  readonly user: string | undefined
  readonly tabSecret: string | undefined
  /** The processes that remember to have consumed it, and since when. */
  readonly usedIn: Map<object, number>
  /** When its record was last saved as consumed, as the number of the event; or its cookie deleted. */
  savedAsConsumed: number | undefined
  /** The processes that have sent a key for it. */
  readonly sentFrom: object[]
}

/** An `auth_key`. */
export interface Key {
  readonly value: string
  readonly provider: ProviderName
  /** Whose account it opens. */
  readonly account: string
  /** Where it was approved. */
  readonly browser: Browser
  isSpent: boolean
  /** How many requests have brought it to the application. */
  requests: number
  /** The logins for which it was sent. */
  readonly sentFor: Set<Begun>
}

export interface LoginCookie {
  readonly value: string
  readonly begun: Begun
}

/** The cookie of a callback that a tab's form has sent, and when the browser got it. */
export interface TabCookie {
  readonly value: string
  readonly since: number
}

export interface Browser {
  readonly name: string
  session: string | undefined
  loginCookie: LoginCookie | undefined
  tabCookie: TabCookie | undefined
}

/** The request that a tab sends next, or has sent last. */
export interface Navigation {
  readonly kind: 'start' | 'callback'
  readonly provider: ProviderName
  readonly row: RowName
  readonly key?: Key
  /** Whether a page of the attacker caused it. */
  readonly injected: boolean
  /** Sent by the page of our own that asks the tab. */
  readonly tabSecret?: string
  /** What the confirm page has given to its link. */
  readonly confirmation?: string
}

export type Page =
  | { readonly at: 'elsewhere' }
  | { readonly at: 'provider'; readonly provider: ProviderName }
  /** The confirm page, whose button sends the request. */
  | { readonly at: 'confirm'; readonly next: Navigation }
  /** A page of tab binding, whose script sends the request. */
  | { readonly at: 'script'; readonly next: Navigation }
  | { readonly at: 'waiting' }

export interface Tab {
  readonly name: string
  readonly browser: Browser
  page: Page
  /** What the tab's storage holds. */
  secret: string | undefined
  /** The callback that a reload, or a second click, sends again. */
  callback: Navigation | undefined
  /** How many requests it has sent. */
  sent: number
}
