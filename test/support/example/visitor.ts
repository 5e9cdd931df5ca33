import type { Application, FakeProvider } from '../../../lib/testing'
import { Browser, type BrowserAnswer } from '../browser'

/** The environment with which the example signs its users in at a provider of the test, its first or its second. */
export function providerEnvironment(
  provider: FakeProvider,
  application: Application,
  prefix: 'SOCIAL' | 'SOCIAL2' = 'SOCIAL',
): Record<string, string> {
  return {
    [`${prefix}_BASE_URL`]: provider.baseURL,
    [`${prefix}_CLIENT_ID`]: application.appID,
    [`${prefix}_CLIENT_SECRET`]: application.appSecret,
    [`${prefix}_CALLBACK_URL`]: application.redirectURL,
  }
}

/** Registers the example with a provider of the test. The port matters only to a real browser. */
export function registerExample(provider: FakeProvider, startPath = '/auth/social-login'): Application {
  const redirectURL = `http://localhost:3000${startPath}/callback`
  return provider.registerApplication({ name: 'Example', redirectURL })
}

/** A user with a browser who uses the example application. */
export class Visitor {
  readonly browser: Browser
  readonly #callbackPath: string

  constructor(
    private readonly provider: FakeProvider,
    private readonly application: Application,
    readonly userID: string,
    /** Headers that a proxy in front of the example adds to every request. */
    proxyHeaders: Readonly<Record<string, string>> = {},
    browser = new Browser(proxyHeaders),
  ) {
    this.browser = browser
    this.#callbackPath = new URL(application.redirectURL).pathname
  }

  /** The same browser, for its user's login at another provider. */
  at(provider: FakeProvider, application: Application, userID: string): Visitor {
    return new Visitor(provider, application, userID, {}, this.browser)
  }

  /** A key that the provider issues for this user now. */
  newKey(): string {
    return this.provider.issueAuthKey({ appID: this.application.appID, userID: this.userID })
  }

  begin(appURL: string, fields: Record<string, string> = {}): Promise<BrowserAnswer> {
    return this.submit(`${appURL}${this.#callbackPath.replace(/\/callback$/, '')}`, fields)
  }

  comeBack(appURL: string, authKey = this.newKey()): Promise<BrowserAnswer> {
    return this.browser.comeBack(`${appURL}${this.#callbackPath}?auth_key=${authKey}`)
  }

  submit(url: string, fields: Record<string, string> = {}): Promise<BrowserAnswer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.browser.follow(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
  }

  /** The whole login. @returns the final redirect of the application */
  async signIn(appURL: string): Promise<string> {
    await this.begin(appURL)
    const back = await this.comeBack(appURL)
    return back.location === '/login/confirm' ? this.confirm(appURL) : back.location
  }

  /** Presses a button of the confirmation page. @returns where the application redirects to */
  async confirm(appURL: string, decision = 'continue'): Promise<string> {
    return this.answer(appURL, await this.question(appURL), decision)
  }

  /** The id of the current question on the confirmation page; empty if there is none. */
  async question(appURL: string): Promise<string> {
    const { body } = await this.browser.follow(`${appURL}/login/confirm`)
    return /name="confirmation" value="([^"]+)"/.exec(body)?.[1] ?? ''
  }

  async answer(appURL: string, confirmation: string, decision: string): Promise<string> {
    return (await this.submit(`${appURL}/login/confirm`, { confirmation, decision })).location
  }

  /** Presses "Sign out everywhere" on the account page. */
  async signOutEverywhere(appURL: string): Promise<string> {
    const { body } = await this.browser.follow(`${appURL}/account`)
    const account = /name="account" value="([^"]+)"/.exec(body)?.[1] ?? ''
    return (await this.submit(`${appURL}/account/sign-out-everywhere`, { account })).location
  }

  /** The signed-in user as the application reports it; undefined if there is none. */
  async whoAmI(appURL: string): Promise<Record<string, unknown> | undefined> {
    const { status, body } = await this.browser.request(`${appURL}/profile`, {
      headers: { accept: 'application/json' },
    })
    return status === 200 ? JSON.parse(body) : undefined
  }
}
