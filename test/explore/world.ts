import { AFTER_TAB_LOGIN_MS, MAX_AGE_MS, MAX_CLOCK_SKEW_MS } from '../../lib/limits'
import type { PendingLogin } from '../../lib/login/pending-login/pending-login'
import { Clock, useClock } from './clock'
import type { Configuration, ProviderName } from './configuration'
import type { Begun, Browser, Key, Navigation, Tab, TabCookie } from './facts'
import { Judge } from './judge'
import type { OwnRecords } from './own-store'
import { type Process, type SendToProvider, type Settings, settingsOf, startProcess } from './process'
import { type Probe, RequestLife } from './request-life'
import { type Rows, rowsOf } from './rows'
import { Run } from './run'
import { type SessionData, Sessions } from './sessions'

const TAB_SECRET_LENGTH = 32

/** What all worlds of one configuration share. One world is active at a time: the last one. */
export interface Setting {
  readonly configuration: Configuration
  readonly rows: Rows
  readonly settings: Settings
  world: World | undefined
}

export function settingOf(configuration: Configuration): Setting {
  const setting: Setting = {
    configuration,
    rows: rowsOf(configuration),
    settings: settingsOf(configuration, async (provider, request) => {
      if (!setting.world) throw new Error('there is no world')
      return setting.world.sendToProvider(provider, request)
    }),
    world: undefined,
  }
  return setting
}

/** Everything outside of `lib/`, and the processes in which its code runs. */
export class World {
  readonly configuration: Configuration
  readonly rows: Rows
  readonly #settings: Settings
  readonly clock = new Clock()
  readonly sessions = new Sessions()
  readonly ownRecords: OwnRecords = new Map()
  readonly browsers: readonly Browser[]
  readonly tabs: readonly Tab[]
  readonly processes: Process[]
  readonly keys: Key[] = []
  readonly begun = new Map<string, Begun>()
  runs: Run[] = []
  /** Saves that were given up by their request, and may still be written. */
  lateSaves: { readonly run: Run; readonly write: () => void }[] = []
  /** Milliseconds by which all wall clocks were set back. */
  setBack = 0
  /** How often each bounded event has happened. */
  readonly spent: Record<string, number> = {}
  readonly judge: Judge
  /** The number of the present event. */
  time = 0
  readonly #life: RequestLife
  #secrets = 0

  constructor(setting: Setting) {
    const { configuration, rows, settings } = setting
    this.configuration = configuration
    this.rows = rows
    this.#settings = settings
    setting.world = this
    useClock(this.clock)
    this.judge = new Judge(this)
    this.#life = new RequestLife(this)
    const names = [...new Set(configuration.tabs.map((name) => name.split(' ', 1).join()))]
    this.browsers = names.map((name) => ({ name, session: undefined, loginCookie: undefined, tabCookie: undefined }))
    this.tabs = this.browsers.flatMap((browser) =>
      configuration.tabs
        .filter((name) => name.startsWith(browser.name))
        .map(
          (name): Tab => ({
            name,
            browser,
            page: { at: 'elsewhere' },
            secret: undefined,
            callback: undefined,
            sent: 0,
          }),
        ),
    )
    this.processes = Array.from({ length: configuration.processes }, (_, index) => this.#startProcess(index))
  }

  async restart(index: number): Promise<void> {
    const { [index]: old } = this.processes
    this.runs = this.runs.filter(({ process }) => process !== old)
    this.processes[index] = this.#startProcess(index)
  }

  mintKey(provider: ProviderName, browser: Browser, account: string): Key {
    const value = `key-${this.keys.length + 1}`
    const key: Key = { value, provider, browser, account, isSpent: false, requests: 0, sentFor: new Set() }
    this.keys.push(key)
    return key
  }

  /** Sends a request from a tab, which then waits for its response only. */
  async send(tab: Tab, process: Process, navigation: Navigation | 'logout'): Promise<void> {
    tab.sent += 1
    const run = new Run(tab, process, navigation, true, this.tabCookieOf(tab.browser)?.value)
    process.hasWorked = true
    this.runs.push(run)
    tab.page = { at: 'waiting' }
    if (navigation !== 'logout' && navigation.kind === 'callback') tab.callback = navigation
    if (run.key) run.key.requests += 1
    this.#life.begin(run)
    if (!this.configuration.lateReads || navigation === 'logout') await this.resume(run, 'read')
  }

  /** Sends a request that must change nothing, and that no tab waits for. It has ended once the world has settled. */
  probe(tab: Tab, process: Process, sent: Probe): Run {
    const navigation: Navigation = { kind: 'callback', provider: 'honest', row: 'absent', injected: true }
    const run = new Run(tab, process, navigation, sent.row.lax)
    this.#life.begin(run, sent)
    this.#release(run, 'read')
    return run
  }

  /** Whether a process would still accept a login, were it not too old, and its user signed in. */
  async isPending(process: Process, provider: ProviderName, record: PendingLogin): Promise<boolean> {
    const { consumed, ...unused } = record
    const refuse = async (): Promise<never> => this.judge.fail('a look at a login changes it', record.id)
    const summary = await process.logins[provider].pending({
      options: {},
      store: {
        load: async () => ({ ...unused, issuedAt: Date.now(), user: null }),
        save: refuse,
        consume: refuse,
      },
      currentUserKey: () => undefined,
      findProvider: () => undefined,
    })
    return summary !== undefined
  }

  /** Whether a process may have forgotten a use, because the record has expired by a clock that nobody sets. */
  isOld(usedAt: number): boolean {
    return this.clock.now - usedAt > MAX_AGE_MS + MAX_CLOCK_SKEW_MS
  }

  /** When a process forgets what it may forget is its own affair: it is asked. */
  async noteForgotten(process: Process): Promise<void> {
    for (const { provider, record, usedIn } of this.begun.values()) {
      const usedAt = usedIn.get(process)
      if (usedAt === undefined || !this.isOld(usedAt)) continue
      if (await this.isPending(process, provider, record)) usedIn.delete(process)
    }
  }

  /** Gives a waiting request what it waits for. */
  async resume(run: Run, answer: string): Promise<void> {
    this.#release(run, answer)
    await this.settle()
    this.judge.checkWaiting()
  }

  /** Sets the wall clocks of all processes back. */
  setClocksBack(milliseconds: number): void {
    this.setBack += milliseconds
    for (const process of this.processes) process.skew -= milliseconds
  }

  async pass(milliseconds: number): Promise<void> {
    await this.clock.pass(milliseconds, () => this.settle())
    this.judge.checkWaiting()
  }

  /** Lets everything run that does not wait for an event. */
  async settle(): Promise<void> {
    // Sealing is the work of other threads.
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.#life.sealing > 0)
  }

  /** The record of a browser, where a request finds it that is read now. */
  recordOf(browser: Browser, session: SessionData | undefined): PendingLogin | undefined {
    if (this.configuration.store === 'own') return this.ownRecords.get(browser.name)
    return session?.['passport-social-login']
  }

  /** Who is signed in to a browser. */
  userOf({ session }: Browser): string | undefined {
    return this.sessions.load(session)?.user
  }

  /** The cookie of a tab that the browser sends now. */
  tabCookieOf({ tabCookie }: Browser): TabCookie | undefined {
    return tabCookie && this.clock.now - tabCookie.since <= AFTER_TAB_LOGIN_MS ? tabCookie : undefined
  }

  signIn(browser: Browser, user: string): void {
    const data = this.sessions.load(browser.session)
    this.sessions.destroy(browser.session)
    browser.session = this.sessions.newID()
    // As Passport does with `keepSessionInfo`: the login under way stays in the session.
    this.sessions.save(browser.session, { ...data, user })
  }

  newTabSecret(): string {
    this.#secrets += 1
    return String(this.#secrets).padStart(TAB_SECRET_LENGTH, '0')
  }

  /** A request of the package to a provider, by the request that was resumed last. */
  async sendToProvider(...[provider, { path, body, token }]: Parameters<SendToProvider>): ReturnType<SendToProvider> {
    if (token !== undefined) return this.#life.profile(token)
    return this.#life.exchange(provider, new URLSearchParams(body ?? path).get('auth_key') ?? '')
  }

  #release(run: Run, answer: string): void {
    const { wait } = run
    if (!wait) throw new Error('the request does not wait')
    run.wait = undefined
    this.#life.resumed = run
    this.clock.owner = run.process
    wait.resolve(answer)
  }

  #startProcess(index: number): Process {
    const { skew, maxConcurrentLogins } = this.configuration
    const ahead = (index === 0 ? 0 : skew) - this.setBack
    const process = startProcess(`${index + 1}`, ahead, maxConcurrentLogins, this.#settings)
    process.usedAt.push(this.clock.now)
    return process
  }
}
