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
import { type OwnRecords, ownStoreOf } from './own-store'
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
import { RequestSession, type SessionData, Sessions } from './sessions'

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

/** What differs in a request that no navigation of the world sends. */
interface SentRequest {
  readonly target: string
  readonly canSignIn: boolean
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
    this.#store = configuration.store === 'cookie' ? new CookieStore({ keys: [COOKIE_KEY] }) : new SessionStore()
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

  /** Sends a request that must change nothing, and that no tab waits for. It has ended once the world has settled. */
  probe(tab: Tab, process: Process, sent: SentRequest & { readonly row: Row }): Run {
    const navigation: Navigation = { kind: 'callback', provider: 'honest', row: 'absent', injected: true }
    const run = new Run(tab, process, navigation, sent.row.lax)
    this.#run(run, sent)
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
        remove: refuse,
      },
      currentUserKey: () => undefined,
      findSite: () => undefined,
    })
    return summary !== undefined
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
    while (this.#sealing > 0)
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

  #release(run: Run, answer: string): void {
    const { wait } = run
    if (!wait) throw new Error('the request does not wait')
    run.wait = undefined
    this.#current = run
    this.clock.owner = run.process
    wait.resolve(answer)
  }

  #startProcess(index: number): Process {
    const { skew, maxConcurrentLogins } = this.configuration
    const ahead = (index === 0 ? 0 : skew) - this.setBack
    return startProcess(`${index + 1}`, ahead, maxConcurrentLogins, this.#settings)
  }

  /** The whole life of a request: it ends when the browser has its response. */
  #run(run: Run, probe?: SentRequest & { readonly row: Row }): void {
    const live = async (): Promise<void> => {
      if (run.navigation === 'logout') await this.#logOut(run)
      else await this.#handle(run, run.navigation, probe)
      await run.hold('delivery')
      if (!probe) this.#deliver(run)
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

  async #handle(run: Run, navigation: Navigation, probe?: SentRequest & { readonly row: Row }): Promise<void> {
    await run.hold('read')
    this.#read(run)
    if (!probe) this.judge.expect(run, navigation)
    try {
      const row = probe?.row ?? this.#rowOf(navigation)
      const sent = probe ?? { target: targetOf(navigation), canSignIn: true }
      const action = await run.process.logins[navigation.provider].handle(this.#request(run, navigation, row, sent))
      run.outcome = await this.#act(run, navigation, action)
    } catch (error) {
      if (!(error instanceof SocialLoginError)) throw error
      run.outcome = { type: 'refused', code: error.code }
    }
    this.judge.checkOutcome(run)
    // Where the time was up, nobody waits for the store or the provider any more.
    run.wait = undefined
  }

  async #act(run: Run, navigation: Navigation, action: LoginAction<User>): Promise<Outcome> {
    switch (action.type) {
      case 'redirect':
        this.judge.checkRedirect(action.url, navigation.provider)
        return { type: 'redirect' }
      case 'continue':
        return { type: action.type }
      case 'respond':
        if (action.response.status !== 200) return { type: 'refused', code: action.otherwise.code }
        return { type: 'page', next: nextOf(navigation, action.otherwise.code) }
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

  #request(run: Run, navigation: Navigation, row: Row, sent: SentRequest): LoginRequest<User> {
    return {
      http: {
        method: row.method,
        target: sent.target,
        headers: headersOf(row, PROVIDER_ORIGINS[navigation.provider]),
      },
      options: {},
      findSite: () => undefined,
      store: this.#observed(run, this.#storeOf(run)),
      currentUserKey: () => run.session?.user,
      canSignIn: () => sent.canSignIn,
      mayContinueOnReplay: true,
      verify: async ({ profile }) => {
        const answer = await run.hold('verify')
        run.fate = answer === 'accepts' ? 'signed in' : 'verify_refused'
        return { user: answer === 'accepts' && `${navigation.provider}:${profile?.id}`, info: undefined }
      },
    }
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

  async #save(run: Run, session: RequestSession): Promise<void> {
    const { id, data } = session
    const write = (): void => {
      this.judge.checkSave(run, id, data)
      this.sessions.save(id, data)
    }
    const late = { run, write }
    this.lateSaves.push(late)
    const answer = await run.hold('save')
    this.lateSaves = this.lateSaves.filter((one) => one !== late)
    if (answer === 'is lost') {
      this.#lose(run)
      throw new Error('the store failed')
    }
    write()
    session.isSaved = true
    run.wrote = true
  }

  #storeOf(run: Run): BrowserStore {
    if (this.configuration.store !== 'own') return storeOf(this.#store, run.req)
    const deny = (): void => {
      this.judge.checkDenial(run)
      run.fate = 'login_not_started'
    }
    return ownStoreOf(run, this.ownRecords, () => this.#lose(run), deny)
  }

  /** The request gets no answer of the store. */
  #lose(run: Run): void {
    run.fate = 'session_unavailable'
    this.judge.forget(run)
  }

  /** The store, and what is noted of its use. */
  #observed(run: Run, store: BrowserStore): BrowserStore {
    const seal = async <T>(work: Promise<T>): Promise<T> => {
      if (this.configuration.store !== 'cookie') return work
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

  #note(run: Run, record: PendingLogin): void {
    const { tab, process, navigation } = run
    if (navigation === 'logout') return
    this.judge.checkStart(navigation)
    const begun: Begun = {
      recordID: record.id,
      record,
      savedAt: undefined,
      browser: tab.browser,
      tab,
      provider: navigation.provider,
      issuedAt: this.clock.wall(process),
      user: run.session?.user,
      tabSecret: navigation.tabSecret,
      usedIn: new Map(),
      savedAsConsumed: undefined,
      sentFrom: [],
    }
    run.begun = begun
    this.begun.set(record.id, begun)
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
    // After a logout express-session sets no cookie, unless something is stored in the new session.
    if (run.newSession !== undefined) browser.session = run.newSession
    else if (run.session?.isNew && run.session.isSaved) browser.session = run.session.id
    const value = run.setCookie
    if (value === '') this.judge.checkCookieEnd(run, browser.loginCookie?.begun)
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

function targetOf({ kind, provider, key, tabSecret }: Navigation): string {
  const query = new URLSearchParams({
    ...(key && { auth_key: key.value }),
    ...(tabSecret !== undefined && { social_login_tab: tabSecret }),
  })
  const path = kind === 'start' ? startPath(provider) : callbackPath(provider)
  return query.size === 0 ? path : `${path}?${query}`
}

/** What a page of our own sends: that of a tab by its script, the confirm page by its button. */
function nextOf(navigation: Navigation, code: string): Navigation {
  // Which secret, the script reads when it runs.
  if (code === 'tab_mismatch') return { ...navigation, row: 'tab form', tabSecret: '' }
  return navigation.row === 'own' ? { ...navigation, tabSecret: '' } : { ...navigation, row: 'own', injected: false }
}
