import { SocialLoginError } from '../../lib'
import type { BrowserStore } from '../../lib/login/browser-store'
import { storeOf } from '../../lib/login/browser-store'
import type { LoginAction, LoginRequest } from '../../lib/login/context'
import type { PendingLogin } from '../../lib/login/pending-login'
import { CookieStore } from '../../lib/login/stores/cookie-store'
import { SessionStore } from '../../lib/login/stores/session-store'
import { ANSWERS, isAnswer } from './answers'
import { Clock, useClock } from './clock'
import type { Configuration, ProviderName } from './configuration'
import type { Begun, Browser, Key, Navigation, Tab } from './facts'
import { Judge } from './judge'
import {
  callbackPath,
  PROVIDER_ORIGINS,
  type Process,
  type SendToProvider,
  type Settings,
  settingsOf,
  startPath,
  startProcess,
  type User,
} from './process'
import { headersOf, type Row, type Rows, rowsOf } from './rows'
import { type Outcome, Run } from './run'
import { RequestSession, Sessions } from './sessions'

const COOKIE_KEY = 'a key of more than thirty-two characters'
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
  readonly browsers: readonly Browser[]
  readonly tabs: readonly Tab[]
  readonly processes: Process[]
  readonly keys: Key[] = []
  readonly begun = new Map<string, Begun>()
  runs: Run[] = []
  /** Saves that were given up by their request, and may still be written. */
  lateSaves: { readonly run: Run; readonly write: () => void }[] = []
  /** How often each bounded event has happened. */
  readonly spent: Record<string, number> = {}
  readonly judge: Judge
  /** The number of the present event. */
  time = 0
  readonly #store: SessionStore | CookieStore
  #current: Run | undefined
  #sealing = 0
  #secrets = 0

  constructor(setting: Setting) {
    const { configuration, rows, settings } = setting
    this.configuration = configuration
    this.rows = rows
    this.#settings = settings
    setting.world = this
    useClock(this.clock)
    this.judge = new Judge(this)
    this.#store = configuration.store === 'session' ? new SessionStore() : new CookieStore({ keys: [COOKIE_KEY] })
    const names = [...new Set(configuration.tabs.map((name) => name.split(' ', 1).join()))]
    this.browsers = names.map((name) => ({ name, session: undefined, loginCookie: undefined }))
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
    const key: Key = { value, provider, browser, account, spent: { is: false }, sentFor: new Set() }
    this.keys.push(key)
    return key
  }

  /** Sends a request from a tab, which then waits for its response only. */
  async send(tab: Tab, process: Process, navigation: Navigation | 'logout'): Promise<void> {
    tab.sent += 1
    const run = new Run(tab, process, navigation, true)
    process.hasWorked = true
    this.runs.push(run)
    tab.page = { at: 'waiting' }
    if (navigation !== 'logout' && navigation.kind === 'callback') tab.callback = navigation
    this.#run(run)
    if (!this.configuration.lateReads || navigation === 'logout') await this.resume(run, 'read')
  }

  /** Sends a request that must be refused, which no tab waits for. */
  async probe(tab: Tab, process: Process, row: Row, kind: 'start' | 'callback'): Promise<Run> {
    const key = this.mintKey('honest', tab.browser, 'attacker')
    const run = new Run(tab, process, { kind, provider: 'honest', row: 'absent', injected: true, key }, row.lax)
    this.keys.pop()
    this.#run(run, row)
    await this.resume(run, 'read')
    return run
  }

  /** Gives a waiting request what it waits for. */
  async resume(run: Run, answer: string): Promise<void> {
    const { wait } = run
    if (!wait) throw new Error('the request does not wait')
    run.wait = undefined
    this.#current = run
    this.clock.owner = run.process
    wait.resolve(answer)
    await this.settle()
    this.judge.checkWaiting()
  }

  async pass(milliseconds: number): Promise<void> {
    await this.clock.pass(milliseconds, () => this.settle())
    this.judge.checkWaiting()
  }

  /** Lets everything run that does not wait for an event. */
  async settle(): Promise<void> {
    // Sealing is the work of other threads.
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.#sealing > 0)
  }

  /** Who is signed in to a browser. */
  userOf({ session }: Browser): string | undefined {
    return this.sessions.load(session)?.user
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
    if (token !== undefined) return this.#profile(token)
    return this.#exchange(provider, new URLSearchParams(body ?? path).get('auth_key') ?? '')
  }

  #startProcess(index: number): Process {
    return startProcess(`${index + 1}`, index === 0 ? 0 : this.configuration.skew, this.#settings)
  }

  /** The whole life of a request: it ends when the browser has its response. */
  #run(run: Run, row?: Row): void {
    const live = async (): Promise<void> => {
      if (run.navigation === 'logout') await this.#logOut(run)
      else await this.#handle(run, run.navigation, row ?? this.#rowOf(run.navigation))
      await run.hold('delivery')
      if (!row) this.#deliver(run)
    }
    live().catch((error) => this.judge.report(error))
  }

  async #logOut(run: Run): Promise<void> {
    await run.hold('read')
    run.readAt = this.time
    await run.hold('logout')
    this.sessions.destroy(run.sessionID)
    run.outcome = { type: 'logged out' }
  }

  async #handle(run: Run, navigation: Navigation, row: Row): Promise<void> {
    await run.hold('read')
    this.#read(run)
    const isProbe = row !== this.#rowOf(navigation)
    if (!isProbe) this.judge.expect(run, navigation)
    try {
      const action = await run.process.logins[navigation.provider].handle(this.#request(run, navigation, row))
      run.outcome = await this.#act(run, navigation, action)
    } catch (error) {
      if (!(error instanceof SocialLoginError)) throw error
      run.outcome = { type: 'refused', code: error.code }
    }
    // Where the time was up, nobody waits for the store or the provider any more.
    if (!isProbe) this.judge.checkOutcome(run)
    run.wait = undefined
  }

  async #act(run: Run, navigation: Navigation, action: LoginAction<User>): Promise<Outcome> {
    switch (action.type) {
      case 'redirect':
      case 'continue':
        return { type: action.type }
      case 'respond':
        return { type: 'page', next: this.#nextOf(run, navigation, action.response.status, action.otherwise.code) }
      case 'decided': {
        const { user } = action.verdict
        if (user === false) return { type: 'refused', code: 'verify_refused' }
        await run.hold('sign-in')
        this.judge.checkSignIn(run, user)
        this.sessions.destroy(run.session?.id)
        run.newSession = this.sessions.newID()
        this.sessions.save(run.newSession, { user })
        return { type: 'signed in' }
      }
    }
  }

  /** What the page of a response sends. */
  #nextOf(run: Run, navigation: Navigation, status: number, code: string): Navigation | undefined {
    if (status !== 200) return undefined
    const own = { ...navigation, injected: navigation.injected }
    // The tab's own secret is read by the script of the page, when it runs.
    if (code === 'tab_mismatch') return { ...own, row: 'tab form', tabSecret: '' }
    const isForTab = run.navigation !== 'logout' && run.navigation.row === 'own'
    return isForTab ? { ...own, row: 'own', tabSecret: '' } : { ...own, row: 'own', injected: false }
  }

  #request(run: Run, navigation: Navigation, row: Row): LoginRequest<User> {
    return {
      http: {
        method: row.method,
        target: this.#target(navigation),
        headers: headersOf(row, PROVIDER_ORIGINS[navigation.provider]),
      },
      options: {},
      findSite: () => undefined,
      store: this.#observed(run, storeOf(this.#store, run.req)),
      currentUserKey: () => run.session?.user,
      canSignIn: () => true,
      mayContinueOnReplay: true,
      verify: async ({ profile }) => {
        const answer = await run.hold('verify')
        run.fate = answer === 'accepts' ? 'signed in' : 'verify_refused'
        return { user: answer === 'accepts' && `${navigation.provider}:${profile?.id}`, info: undefined }
      },
    }
  }

  #target({ kind, provider, key, tabSecret }: Navigation): string {
    const query = new URLSearchParams({
      ...(key && { auth_key: key.value }),
      ...(tabSecret !== undefined && { social_login_tab: tabSecret }),
    })
    const path = kind === 'start' ? startPath(provider) : callbackPath(provider)
    return query.size === 0 || (kind === 'start' && tabSecret === undefined) ? path : `${path}?${query}`
  }

  #rowOf({ row }: Navigation): Row {
    const { ownLink, planted, tabForm, callback } = this.rows
    if (row === 'own') return ownLink
    if (row === 'planted') return planted
    return row === 'tab form' ? tabForm : callback[row]
  }

  #read(run: Run): void {
    const data = this.sessions.load(run.sessionID)
    const id = (data && run.sessionID) ?? this.sessions.newID()
    run.readAt = this.time
    run.session = new RequestSession(id, data, (session) => this.#save(run, session))
    Object.assign(run.req, { session: run.session })
  }

  async #save(run: Run, { id, data }: RequestSession): Promise<void> {
    const write = (): void => {
      this.judge.checkSave(run, id, data)
      this.sessions.save(id, data)
    }
    const late = { run, write }
    this.lateSaves.push(late)
    const answer = await run.hold('save')
    this.lateSaves = this.lateSaves.filter((one) => one !== late)
    if (answer === 'is lost') {
      run.fate = 'session_unavailable'
      this.judge.forget(run)
      throw new Error('the store failed')
    }
    write()
    run.wrote = true
  }

  /** The store, and what is noted of its use. */
  #observed(run: Run, store: BrowserStore): BrowserStore {
    const seal = async <T>(work: Promise<T>): Promise<T> => {
      if (this.configuration.store === 'session') return work
      this.#sealing += 1
      return work.finally(() => {
        this.#sealing -= 1
      })
    }
    return {
      load: () => seal(store.load()),
      save: (record) => {
        this.#note(run, record)
        return seal(store.save(record))
      },
      consume: (record) => {
        this.judge.checkConsumption(run, record)
        return store.consume(record)
      },
      remove: () => {
        run.removed = true
        return store.remove()
      },
    }
  }

  #note(run: Run, { id }: PendingLogin): void {
    const { tab, process, navigation } = run
    if (navigation === 'logout') return
    this.judge.checkStart(navigation)
    const begun: Begun = {
      recordID: id,
      savedAt: undefined,
      browser: tab.browser,
      tab,
      provider: navigation.provider,
      at: this.clock.now,
      clock: process,
      user: run.session?.user,
      tabSecret: navigation.tabSecret,
      usedIn: new Map(),
      savedAsConsumed: undefined,
      sentFrom: [],
    }
    run.begun = begun
    this.begun.set(id, begun)
  }

  async #exchange(provider: ProviderName, value: string): Promise<readonly [number, string]> {
    const run = this.#current
    const key = run?.key
    if (!run || key?.value !== value) return this.judge.fail('a key is sent that the request did not bring', value)
    this.judge.checkExchange(run, key, provider)
    const name = await run.hold('exchange')
    if (!isAnswer(name)) throw new Error(`no answer ${name}`)
    const answer = ANSWERS[name]
    run.fate = answer.code
    if (answer.spendsKey) key.spent.is = true
    if (!answer.exchange) throw new Error('the connection was lost')
    const [status, body] = answer.exchange
    const profile = 'profile' in answer ? answer.profile : [200, JSON.stringify({ user_id: key.account })]
    return [status, body.replace('KEY', Buffer.from(JSON.stringify(profile)).toString('base64url'))]
  }

  /** The token holds the answer. */
  async #profile(token: string): Promise<readonly [number, string]> {
    const [status, body]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString())
    return [Number(status), String(body)]
  }

  #deliver(run: Run): void {
    const { tab, outcome } = run
    const { browser } = tab
    const before = this.userOf(browser)
    this.runs = this.runs.filter((one) => one !== run)
    if (run.navigation === 'logout') browser.session = undefined
    else if (run.newSession !== undefined) browser.session = run.newSession
    else if (run.session?.isNew && run.wrote) browser.session = run.session.id
    const value = run.setCookie
    if (value !== undefined) browser.loginCookie = value !== '' && run.begun ? { value, begun: run.begun } : undefined
    this.judge.checkDelivery(run, before)
    if (run.isLatest && outcome) this.#show(run, outcome)
  }

  #show({ tab, navigation }: Run, outcome: Outcome): void {
    const provider = navigation === 'logout' ? 'honest' : navigation.provider
    if (outcome.type === 'redirect') tab.page = { at: 'provider', provider }
    else if (outcome.type === 'page' && outcome.next)
      tab.page = { at: outcome.next.tabSecret === undefined ? 'confirm' : 'script', next: outcome.next }
    else tab.page = { at: 'elsewhere' }
  }
}
