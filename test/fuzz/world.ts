import { readFileSync } from 'node:fs'
import { type Application, FakeProvider, type Fault } from '../../lib/testing'
import { Browser } from '../support/browser'
import { type RunningExample, startExample, temporaryFolder } from '../support/example/example-app'
import { providerEnvironment, registerExample } from '../support/example/visitor'

const CALLBACK = '/auth/social-login/callback'
const STATES = ['pending', 'unconfirmed', 'signedIn'] as const
/** Number of browsers in each state: requests sign some of them out. */
const BROWSERS = 6

/** How the provider fails four logins of ten. */
const FAULTS: readonly Fault[] = [{ status: 503 }, { body: '[]' }, { reset: true }, { body: '{"access_token":5}' }]

type State = (typeof STATES)[number]

/** The interface of the application under test. */
export interface FuzzedApplication {
  readonly port: number
  /** Real milliseconds after which an answer, or a close, must have come. */
  readonly deadline: number
  /** A request with its placeholders filled in. */
  fill(text: string): string
  /** Brings a browser into the next of the states. */
  renew(): Promise<void>
  /** Its output so far. */
  output(): string
  /** Megabytes of memory that it uses; undefined if unknown. */
  megabytes(): number | undefined
}

/** The example application, a provider, and browsers with pending logins. */
export class ExampleWorld implements FuzzedApplication {
  readonly #cookies: Record<State, string[]> = { pending: [], unconfirmed: [], signedIn: [] }
  readonly #secrets = new Set<string>()
  /** Longer than Node's keep-alive timeout: it may leave a request unread until then. */
  readonly deadline = 10_000
  #addresses = 0
  #renewed = 0
  #turn = 0

  private constructor(
    private readonly provider: FakeProvider,
    private readonly application: Application,
    private readonly example: RunningExample,
    private readonly folder: { path: string; remove(): void },
  ) {}

  static async start(): Promise<ExampleWorld> {
    const provider = await FakeProvider.start({ rateLimit: Number.POSITIVE_INFINITY })
    const application = registerExample(provider)
    const folder = temporaryFolder()
    // With a small heap a leak shows sooner, and a large one crashes the process.
    const NODE_OPTIONS = '--max-old-space-size=160 --max-semi-space-size=4'
    const environment = { DATA_DIR: folder.path, NODE_OPTIONS, ...providerEnvironment(provider, application) }
    const example = await startExample(environment)
    const world = new ExampleWorld(provider, application, example, folder)
    for (const state of STATES) for (let count = 0; count < BROWSERS; count += 1) await world.#add(state)
    return world
  }

  get port(): number {
    return Number(new URL(this.example.appURL).port)
  }

  fill(text: string): string {
    return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
      if (name === 'port') return String(this.port)
      if (name === 'key') return this.#newKey()
      const state = STATES.find((known) => known === name)
      const cookies = state === undefined ? [] : this.#cookies[state]
      this.#turn += 1
      return cookies[this.#turn % Math.max(1, cookies.length)] ?? placeholder
    })
  }

  async renew(): Promise<void> {
    const turn = this.#renewed++
    // Some logins of a campaign meet a failing provider.
    const fault = FAULTS[turn % 10]
    if (fault) this.provider.failNext(turn % 4 < 2 ? 'authorize' : 'user/me', fault)
    await this.#add(STATES[turn % STATES.length] ?? 'pending')
    this.provider.clearFaults()
    this.provider.clearRequests()
  }

  /** Whether a new person can sign in and out now. */
  async goodLogin(): Promise<boolean> {
    const browser = new Browser()
    await this.#bring(browser, 'signedIn')
    const { status, body } = await browser.request(`${this.example.appURL}/profile`, {
      headers: { accept: 'application/json' },
    })
    return status === 200 && JSON.parse(body).id === '1'
  }

  output(): string {
    return this.example.output()
  }

  megabytes(): number | undefined {
    if (process.platform !== 'linux') return undefined
    const status = readFileSync(`/proc/${this.example.pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  }

  /** Lines of the output that show a key, a session id or the application's secret. */
  leaks(): string[] {
    const secrets = new Set([...this.#secrets, this.application.appSecret])
    const lines = this.output().split('\n')
    return lines.filter((line) => line.match(/[\w-]{24,}/g)?.some((word) => secrets.has(word)))
  }

  async stop(): Promise<number | NodeJS.Signals> {
    const end = await this.example.stop()
    await this.provider.stop()
    this.folder.remove()
    return end
  }

  #newKey(): string {
    const key = this.provider.issueAuthKey({ appID: this.application.appID, userID: '1' })
    this.#secrets.add(key)
    return key
  }

  async #add(state: State): Promise<void> {
    const browser = new Browser()
    await this.#bring(browser, state)
    const cookie = await browser.cookies(this.example.appURL)
    const sessionID = /example-session=s%3A([\w-]+)\./.exec(cookie)?.[1]
    if (sessionID !== undefined) this.#secrets.add(sessionID)
    this.#cookies[state] = [cookie, ...this.#cookies[state]].slice(0, BROWSERS)
  }

  /** Every browser has its own address: rejected keys are counted by address. */
  async #bring(browser: Browser, state: State): Promise<void> {
    const { appURL } = this.example
    this.#addresses += 1
    const from = { 'x-forwarded-for': `198.18.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}` }
    const headers = { ...from, 'content-type': 'application/x-www-form-urlencoded' }
    await browser.follow(`${appURL}/auth/social-login`, { method: 'POST', headers, body: '' })
    if (state === 'pending') return
    await browser.comeBack(`${appURL}${CALLBACK}?auth_key=${this.#newKey()}`, { headers: from })
    if (state === 'unconfirmed') return
    await browser.follow(`${appURL}/login/confirm`, { method: 'POST', headers, body: 'decision=continue' })
  }
}
