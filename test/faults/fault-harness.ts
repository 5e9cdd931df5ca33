import type { StrategyOptions } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { COOKIE_KEY_CANARY, codeOf, failureIn, type Keep, type RunningApp, startApp } from '../support/app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { captureEvents, captureOutput, findSecrets } from '../support/canaries'
import { RAW_MARKER, RAW_TOKEN, type RawProvider, type RawRequest } from '../support/raw-provider'

export const ENDPOINTS = ['authorize', 'user/me'] as const
const KEY = 'auth-key-canary-5d1b'

/** The result of a login. */
export interface LoginResult {
  readonly outcome: string | undefined
  readonly answer: BrowserAnswer
  readonly requests: readonly RawRequest['endpoint'][]
  /** Sinks in which a planted secret appeared. */
  readonly leaks: readonly string[]
}

/** An application with a RawProvider. */
export class FaultHarness {
  #keys = 0

  private constructor(
    readonly raw: RawProvider,
    readonly app: RunningApp,
    readonly fake: FakeProvider,
  ) {}

  static async start(
    raw: RawProvider,
    keep: Keep = 'session',
    baseURL = raw.baseURL,
    more: Partial<StrategyOptions<false>> = {},
  ): Promise<FaultHarness> {
    const fake = await FakeProvider.start()
    return new FaultHarness(raw, await startApp(fake, { keep, strategy: { baseURL, ...more } }), fake)
  }

  async stop(): Promise<void> {
    await this.app.stop()
    await this.fake.stop()
    await this.raw.stop()
  }

  /** Starts a login, up to the callback. */
  async begin(): Promise<Browser> {
    const browser = new Browser()
    const start = await browser.follow(this.app.loginURL)
    if (start.status !== 302) throw new Error(`the start was answered with ${start.status}`)
    return browser
  }

  /** Sends the callback with a new key. */
  comeBack(browser: Browser): Promise<BrowserAnswer> {
    this.#keys += 1
    return browser.comeBack(`${this.app.callbackURL}?auth_key=${KEY}${this.#keys}`)
  }

  /** Runs `arrange`, then a login. */
  async login(arrange: () => unknown, early = false): Promise<LoginResult> {
    this.forget()
    const { result, output } = await captureOutput(() => captureEvents(() => this.#run(arrange, early)))
    const { browser, answer, outcome, requests, sessions, errors } = result.result
    if (result.events.length === 0) throw new Error('the login told its channels nothing')
    const secrets = [
      this.app.application.appSecret,
      KEY,
      COOKIE_KEY_CANARY,
      ...(outcome === 'success' ? [] : [RAW_MARKER, RAW_TOKEN]),
    ]
    const sinks = {
      answer: { ...answer },
      errors,
      sessions,
      strategy: this.app.strategy,
      login: this.app.login,
      output,
      events: result.events,
    }
    const sid = /connect\.sid=s%3A([^.]+)/.exec(await browser.cookies(this.app.origin))?.[1]
    const inBody = sid === undefined ? [] : findSecrets([sid], { body: answer.body, errors, output })
    return { outcome, answer, requests, leaks: [...findSecrets(secrets, sinks), ...inBody] }
  }

  async #run(arrange: () => unknown, early: boolean) {
    if (early) await arrange()
    const browser = await this.begin()
    if (!early) await arrange()
    const answer = await this.comeBack(browser)
    const requests = this.raw.requests.map(({ endpoint }) => endpoint)
    const errors = [...this.app.errors]
    return { browser, answer, outcome: this.#outcome(answer), requests, sessions: this.app.sessions(), errors }
  }

  /** A login without any fault, in a new browser. */
  async goodLogin(): Promise<number> {
    this.forget()
    return (await this.comeBack(await this.begin())).status
  }

  forget(): void {
    this.raw.clear()
    this.app.errors.length = 0
    this.app.store.clear()
  }

  #outcome(answer: BrowserAnswer): string | undefined {
    if (answer.status === 200) return 'success'
    return this.app.errors.length > 0 ? this.app.errors.map(codeOf).join() : failureIn(this.app.sessions())
  }
}
