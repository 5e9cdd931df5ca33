import { readFileSync } from 'node:fs'
import { type Application, FakeProvider, type Fault } from '../../lib/testing'
import { type RunningExample, startExample, temporaryFolder } from '../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../support/example/visitor'

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

  /** Whether a new person can sign in now. */
  async goodLogin(): Promise<boolean> {
    const visitor = this.#newVisitor()
    return (await visitor.signIn(this.example.appURL)) === '/profile'
  }

  megabytes(): number | undefined {
    if (process.platform !== 'linux') return undefined
    const status = readFileSync(`/proc/${this.example.pid}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  }

  /** Lines of the output that show a key, a session id or the application's secret. */
  leaks(): string[] {
    const secrets = new Set([...this.#secrets, this.application.appSecret])
    const lines = this.example.output().split('\n')
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

  /** Every browser has its own address: rejected keys are counted by address. */
  #newVisitor(): Visitor {
    this.#addresses += 1
    const from = { 'x-forwarded-for': `198.18.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}` }
    return new Visitor(this.provider, this.application, '1', from)
  }

  async #add(state: State): Promise<void> {
    const { appURL } = this.example
    const visitor = this.#newVisitor()
    await visitor.begin(appURL)
    if (state !== 'pending') await visitor.comeBack(appURL, this.#newKey())
    if (state === 'signedIn') await visitor.confirm(appURL)
    const cookie = await visitor.browser.cookies(appURL)
    const sessionID = /example-session=s%3A([\w-]+)\./.exec(cookie)?.[1]
    if (sessionID !== undefined) this.#secrets.add(sessionID)
    this.#cookies[state] = [cookie, ...this.#cookies[state]].slice(0, BROWSERS)
  }
}
