import { IncomingMessage, type OutgoingHttpHeader } from 'node:http'
import { Socket } from 'node:net'
import type { Begun, Key, LoginCookie, Navigation, Tab } from './facts'
import type { Expectation } from './judge'
import type { Process } from './process'
import type { RequestSession } from './sessions'

export type WaitingAt = 'read' | 'save' | 'exchange' | 'verify' | 'sign-in' | 'delivery' | 'logout'

/** Where a request waits for an event. */
export interface Wait {
  readonly at: WaitingAt
  readonly resolve: (answer: string) => void
}

export type Outcome =
  | { readonly type: 'redirect' | 'continue' | 'signed in' | 'logged out' }
  | { readonly type: 'page'; readonly next: Navigation | undefined }
  | { readonly type: 'refused'; readonly code: string }

export function nameOf(outcome: Outcome): string {
  return outcome.type === 'refused' ? outcome.code : outcome.type
}

const socket = new Socket()

/** A request under way. */
export class Run {
  readonly tab: Tab
  readonly process: Process
  readonly navigation: Navigation | 'logout'
  /** The cookies that the browser sent with it. */
  readonly sessionID: string | undefined
  readonly loginCookie: LoginCookie | undefined
  readonly tabCookie: string | undefined
  readonly req = new IncomingMessage(socket)
  readonly #headers = new Map<string, OutgoingHttpHeader>()

  wait: Wait | undefined
  session: RequestSession | undefined
  /** The number of the event at which its session was read. */
  readAt = 0
  /** The login that it found, and those that it has stored or consumed. */
  loaded: Begun | undefined
  begun: Begun | undefined
  consumed: Begun | undefined
  /** What the request must come to. */
  expected: Expectation | undefined
  /** The request whose login it shares. */
  first: Run | undefined
  /** Whether it has changed a store or a cookie. */
  wrote = false
  /** How it must end, as the events before have decided. */
  fate: string | undefined
  outcome: Outcome | undefined
  /** The name of its outcome. */
  ending: string | undefined
  /** The value that the response gives to the cookie of a tab. */
  newTabCookie: string | undefined
  /** The session that the response signs the browser in to. */
  newSession: string | undefined

  /** Its place among the requests of its tab, which shows the response to the last one only. */
  readonly #number: number

  constructor(
    tab: Tab,
    process: Process,
    navigation: Navigation | 'logout',
    sendsCookies: boolean,
    tabCookie?: string,
  ) {
    const { session, loginCookie } = tab.browser
    this.tab = tab
    this.#number = tab.sent
    this.process = process
    this.navigation = navigation
    this.sessionID = sendsCookies ? session : undefined
    this.loginCookie = sendsCookies ? loginCookie : undefined
    this.tabCookie = tabCookie
    const headers = this.#headers
    Object.assign(this.req, {
      res: {
        getHeader: (name: string) => headers.get(name.toLowerCase()),
        setHeader: (name: string, value: OutgoingHttpHeader) => headers.set(name.toLowerCase(), value),
      },
    })
    if (this.loginCookie) this.req.headers.cookie = `__Host-social-login=${this.loginCookie.value}`
  }

  get isLatest(): boolean {
    return this.tab.sent === this.#number
  }

  get key(): Key | undefined {
    return this.navigation === 'logout' ? undefined : this.navigation.key
  }

  /** Waits for an event, which decides the answer. */
  hold(at: WaitingAt): Promise<string> {
    if (this.wait) throw new Error(`a request that waits at ${this.wait.at} waits at ${at}, too`)
    return new Promise((resolve) => {
      this.wait = { at, resolve }
    })
  }

  /** The value that the response gives to the login's cookie: empty to delete it. */
  get setCookie(): string | undefined {
    const [line] = [this.#headers.get('set-cookie') ?? []].flat()
    return line === undefined ? undefined : /^__Host-social-login=([^;]*)/.exec(String(line))?.[1]
  }
}
