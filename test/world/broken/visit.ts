import type { FakeProvider } from 'passport-social-login/testing'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { type Adapter, type Broken, PATHS, type RunningApplication, startApplication } from './application'

/** Planted secrets: none may be shown anywhere. */
export const CANARIES = {
  SOCIAL_CLIENT_SECRET: 'client-secret-canary-9f31',
  SESSION_SECRET: 'session-secret-canary-77e2-0123456789abcdef',
  LOGIN_COOKIE_KEY: 'cookie-key-canary-c5d8-0123456789abcdef',
}

/** A user with a browser, at an application. */
export class Person {
  browser = new Browser()
  readonly startURL: string
  readonly callbackURL: string
  #app: RunningApplication | undefined

  constructor(
    readonly adapter: Adapter,
    readonly provider: FakeProvider,
    readonly origin: string,
    private readonly appID: string,
    private readonly broken: Broken,
  ) {
    const [start, callback] = PATHS[adapter]
    this.startURL = origin + start
    this.callbackURL = origin + callback
  }

  /** Starts the application, again if it runs. */
  async restart(broken = this.broken): Promise<void> {
    await this.#app?.stop()
    this.#app = await startApplication(this.adapter, this.origin, broken)
  }

  stop(): Promise<void> | undefined {
    return this.#app?.stop()
  }

  async signIn(): Promise<unknown> {
    return this.#app?.signIn(this.provider)
  }

  /** Follows the application's own link to the login. */
  start(headers: Readonly<Record<string, string>> = {}): Promise<BrowserAnswer> {
    return this.browser.follow(this.startURL, { headers })
  }

  /** The address to which the provider redirects. */
  approved(userID = '1'): string {
    const url = this.provider.applications.find(({ appID }) => appID === this.appID)?.redirectURL
    return `${url}?auth_key=${this.provider.issueAuthKey({ appID: this.appID, userID })}`
  }

  /** Returns from the provider, and follows redirects within the application. */
  async comeBack(url = this.approved(), headers: Readonly<Record<string, string>> = {}): Promise<BrowserAnswer> {
    let answer = await this.browser.comeBack(url, { headers })
    for (let count = 0; count < 3 && answer.location !== ''; count++) {
      const next = new URL(answer.location, this.origin)
      if (next.origin !== this.origin) break
      answer = await this.browser.comeBack(next.href)
    }
    return answer
  }

  /** A whole login, or its start where that does not redirect to the provider. */
  async logIn(): Promise<BrowserAnswer> {
    const started = await this.start()
    return started.location === '' ? started : this.comeBack()
  }
}

/** What a user reads of a page. */
export function readable({ status, body, location }: BrowserAnswer): string {
  const text = body
    .replaceAll(/<(style|script|title)>.*?<\/\1>/gs, ' ')
    .replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs, '[$2]($1)')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `${status} ${location === '' ? '' : `-> ${location.split('?', 1).join()} `}${text}`
}
