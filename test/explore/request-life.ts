import { SocialLoginError } from '../../lib'
import type { LoginAction, RequestAdapter } from '../../lib/login/context'
import type { PendingLogin } from '../../lib/login/pending-login/pending-login'
import { type BrowserStore, browserStore } from '../../lib/login/pending-login/store'
import { CookieStore } from '../../lib/login/pending-login/stores/cookie-store'
import { SessionStore } from '../../lib/login/pending-login/stores/session-store'
import { ANSWERS, isAnswer } from './answers'
import type { ProviderName } from './configuration'
import type { Begun, Navigation } from './facts'
import { ownStoreOf } from './own-store'
import { callbackPath, PROVIDER_ORIGINS, startPath, type User } from './process'
import { headersOf, type Row } from './rows'
import type { Outcome, Run } from './run'
import { RequestSession } from './sessions'
import type { World } from './world'

const COOKIE_KEY = 'a key of more than thirty-two characters'

/** What differs in a request that no navigation of the world sends. */
export interface SentRequest {
  readonly target: string
  readonly canSignIn: boolean
}

export interface Probe extends SentRequest {
  readonly row: Row
}

/** What becomes of the requests of one world: the application around the code of `lib/login/`. */
export class RequestLife {
  readonly #world: World
  readonly #store: SessionStore | CookieStore
  resumed: Run | undefined
  /** How many cookies are being sealed or opened. */
  sealing = 0

  constructor(world: World) {
    this.#world = world
    const isCookie = world.configuration.store === 'cookie'
    this.#store = isCookie ? new CookieStore({ keys: [COOKIE_KEY] }) : new SessionStore()
  }

  /** The whole life of a request: it ends when the browser has its response. */
  begin(run: Run, probe?: Probe): void {
    const live = async (): Promise<void> => {
      if (run.navigation === 'logout') await this.#logOut(run)
      else await this.#handle(run, run.navigation, probe)
      await run.hold('delivery')
      if (!probe) this.#deliver(run)
    }
    live().catch((error) => this.#world.judge.report(error))
  }

  async #logOut(run: Run): Promise<void> {
    await run.hold('read')
    run.readAt = this.#world.time
    await run.hold('logout')
    this.#world.sessions.destroy(run.sessionID)
    run.newSession = this.#world.sessions.newID()
    this.#world.sessions.save(run.newSession, {})
    run.outcome = { type: 'logged out' }
  }

  async #handle(run: Run, navigation: Navigation, probe?: Probe): Promise<void> {
    await run.hold('read')
    this.#read(run)
    await this.#world.noteForgotten(run.process)
    if (!probe) this.#world.judge.expect(run, navigation)
    try {
      const row = probe?.row ?? this.#world.rows[navigation.row]
      const sent = probe ?? { target: targetOf(navigation), canSignIn: true }
      const login = run.process.logins[navigation.provider]
      const { action } = await login.handle(this.#request(run, navigation, row, sent))
      run.outcome = await this.#act(run, navigation, action)
    } catch (error) {
      if (!(error instanceof SocialLoginError)) throw error
      run.outcome = { type: 'refused', code: error.code }
    }
    this.#world.judge.checkOutcome(run)
    // Where the time was up, nobody waits for the store or the provider any more.
    run.wait = undefined
  }

  async #act(run: Run, navigation: Navigation, action: LoginAction<User>): Promise<Outcome> {
    switch (action.type) {
      case 'redirect':
        this.#world.judge.checkRedirect(action.url, navigation.provider)
        return { type: 'redirect' }
      case 'refused':
        return { type: 'refused', code: action.error.code }
      case 'page':
        return { type: 'page', next: this.#nextOf(navigation, action.fallbackError.code, action.response.body) }
      case 'verdict': {
        const { user } = action.verdict
        if (user === false) return { type: 'refused', code: 'verify_refused' }
        await run.hold('sign-in')
        this.#world.judge.checkSignIn(run, user)
        this.#world.sessions.destroy(run.session?.id)
        run.newSession = this.#world.sessions.newID()
        this.#world.sessions.save(run.newSession, { user })
        return { type: 'signed in' }
      }
    }
  }

  /** What a page of our own sends: that of a tab by its script, the confirm page by its button. */
  #nextOf(navigation: Navigation, code: string, body: string): Navigation {
    // Which secret, the script reads when it runs.
    if (code === 'tab_mismatch') return { ...navigation, row: 'tab form', tabSecret: '' }
    const [, confirmation] = /href="[^"]*social_login_confirmed=([\w-]+)/.exec(body) ?? []
    const next: Navigation = { ...navigation, row: 'own' }
    return confirmation === undefined ? { ...next, tabSecret: '' } : { ...next, injected: false, confirmation }
  }

  #request(run: Run, navigation: Navigation, row: Row, sent: SentRequest): RequestAdapter<User> {
    const headers = headersOf(row, PROVIDER_ORIGINS[navigation.provider])
    return {
      http: {
        method: row.method,
        target: sent.target,
        host: headers['host'],
        header: (name) =>
          name === 'cookie' ? run.tabCookie && `__Host-social-login-tab=${run.tabCookie}` : headers[name],
      },
      options: {},
      findProvider: () => undefined,
      store: this.#observed(run, this.#storeOf(run)),
      currentUserKey: () => run.session?.user,
      canSignIn: () => sent.canSignIn,
      addCookies: ([line = '']) => {
        run.newTabCookie = /^__Host-social-login-tab=([\w-]+);/.exec(line)?.[1]
      },
      verify: async ({ profile }) => {
        const answer = await run.hold('verify')
        run.fate = answer === 'accepts' ? 'signed in' : 'verify_refused'
        return { user: answer === 'accepts' && `${navigation.provider}:${profile?.id}`, info: undefined }
      },
    }
  }

  #read(run: Run): void {
    const data = this.#world.sessions.load(run.sessionID)
    const id = (data && run.sessionID) ?? this.#world.sessions.newID()
    run.readAt = this.#world.time
    run.session = new RequestSession(id, data, (session) => this.#save(run, session))
    Object.assign(run.req, { session: run.session })
  }

  async #save(run: Run, session: RequestSession): Promise<void> {
    const { id, data } = session
    const write = (): void => {
      this.#world.judge.checkSave(run, id, data)
      this.#world.sessions.save(id, data)
    }
    const late = { run, write }
    this.#world.lateSaves.push(late)
    const answer = await run.hold('save')
    this.#world.lateSaves = this.#world.lateSaves.filter((one) => one !== late)
    if (answer === 'is lost') {
      this.#lose(run)
      throw new Error('the store failed')
    }
    write()
    session.isSaved = true
    run.wrote = true
  }

  #storeOf(run: Run): BrowserStore {
    if (this.#world.configuration.store !== 'own') return browserStore(this.#store, run.req)
    const deny = (): void => {
      this.#world.judge.checkDenial(run)
      run.fate = 'login_not_started'
    }
    return ownStoreOf(run, this.#world.ownRecords, () => this.#lose(run), deny)
  }

  /** The request gets no answer of the store. */
  #lose(run: Run): void {
    run.fate = 'session_unavailable'
    this.#world.judge.forget(run)
  }

  /** The store, and what is noted of its use. */
  #observed(run: Run, store: BrowserStore): BrowserStore {
    const seal = <T>(work: Promise<T> | T): Promise<T> | T => {
      if (!(work instanceof Promise) || this.#world.configuration.store !== 'cookie') return work
      this.sealing += 1
      return work.finally(() => {
        this.sealing -= 1
      })
    }
    return {
      load: () => seal(store.load()),
      explain: () => store.explain?.(),
      save: (record) => {
        this.#note(run, record)
        return seal(store.save(record))
      },
      consume: (record) => {
        this.#world.judge.checkConsumption(run, record)
        return store.consume(record)
      },
    }
  }

  #note(run: Run, record: PendingLogin): void {
    const { tab, process, navigation } = run
    if (navigation === 'logout') return
    this.#world.judge.checkStart(navigation)
    const begun: Begun = {
      record,
      savedAt: undefined,
      browser: tab.browser,
      tab,
      provider: navigation.provider,
      row: navigation.row,
      issuedAt: this.#world.clock.wall(process),
      user: run.session?.user,
      tabSecret: navigation.tabSecret,
      usedIn: new Map(),
      savedAsConsumed: undefined,
      sentFrom: [],
    }
    run.begun = begun
    this.#world.begun.set(record.id, begun)
  }

  /** The answer to the exchange of a key by the request that was resumed last. */
  async exchange(provider: ProviderName, value: string): Promise<readonly [number, string]> {
    const run = this.resumed
    const key = run?.key
    if (!run || key?.value !== value)
      return this.#world.judge.fail('a key is sent that the request did not bring', value)
    this.#world.judge.checkExchange(run, key, provider)
    const name = await run.hold('exchange')
    if (!isAnswer(name)) throw new Error(`no answer ${name}`)
    const answer = ANSWERS[name]
    run.fate = answer.code
    if (answer.spendsKey) key.isSpent = true
    if (!answer.exchange) throw new Error('the connection was lost')
    const [status, body] = answer.exchange
    const profile = 'profile' in answer ? answer.profile : [200, JSON.stringify({ user_id: key.account })]
    return [status, body.replace('KEY', Buffer.from(JSON.stringify(profile)).toString('base64url'))]
  }

  /** The answer to a request for a profile, which the token holds. */
  async profile(token: string): Promise<readonly [number, string]> {
    const [status, body]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString())
    return [Number(status), String(body)]
  }

  #deliver(run: Run): void {
    const { tab, outcome } = run
    const { browser } = tab
    const before = this.#world.userOf(browser)
    this.#world.runs = this.#world.runs.filter((one) => one !== run)
    if (run.newSession !== undefined) browser.session = run.newSession
    else if (run.session?.isNew && run.session.isSaved) browser.session = run.session.id
    const value = run.setCookie
    if (value === '') this.#world.judge.checkCookieEnd(run, browser.loginCookie?.begun)
    if (value !== undefined) browser.loginCookie = value !== '' && run.begun ? { value, begun: run.begun } : undefined
    if (run.newTabCookie !== undefined) browser.tabCookie = { value: run.newTabCookie, since: this.#world.clock.now }
    this.#world.judge.checkDelivery(run, before)
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

function targetOf({ kind, provider, key, tabSecret, confirmation }: Navigation): string {
  const query = new URLSearchParams({
    ...(key && { auth_key: key.value }),
    ...(tabSecret !== undefined && { social_login_tab: tabSecret }),
    ...(confirmation !== undefined && { social_login_confirmed: confirmation }),
  })
  const path = kind === 'start' ? startPath(provider) : callbackPath(provider)
  return query.size === 0 ? path : `${path}?${query}`
}
