import type { Begun, Browser, Key, Navigation, Tab } from './facts'
import type { Outcome, Run } from './run'
import type { SessionData } from './sessions'
import type { World } from './world'

// Beyond this age nothing changes any more, even if the clocks are set back: every record has expired.
const OLD = 32 * 60 * 1000

// With tab binding a callback takes two requests: with more, it was repeated.
const MANY = 3

/**
 * The state of a world as a text: everything that can influence its future or a verdict on it. Names that differ from path
 * to path are replaced by the order of their first appearance, and what nothing refers to any more is left out, so that
 * equal states have equal texts.
 */
export function canonical(world: World): string {
  return new Writer(world).text()
}

class Writer {
  readonly #world: World
  readonly #labels = new Map<unknown, number>()
  readonly #begun: Begun[] = []
  readonly #keys: Key[] = []
  readonly #sessions: string[] = []

  constructor(world: World) {
    this.#world = world
  }

  text(): string {
    const { browsers, tabs, processes, runs, lateSaves, ownRecords, spent, setBack } = this.#world
    const parts: unknown[] = [
      spent,
      setBack,
      browsers.map((browser) => this.#browser(browser)),
      tabs.map((tab) => this.#tab(tab)),
      processes.map(({ hasWorked, usedAt }) => [hasWorked, this.#uses(usedAt)]),
      runs.map((run) => this.#run(run)),
      Array.from(ownRecords, ([browser, record]) => [browser, this.#data({ 'passport-social-login': record })]),
      lateSaves.map(({ run }) => [this.#session(run.session?.id), this.#data(run.session?.data)]),
    ]
    // Each of these may refer to more of the same kind.
    const sessions: unknown[] = []
    for (const id of this.#sessions) sessions.push(this.#data(this.#world.sessions.load(id)))
    const begun: unknown[] = []
    for (const one of this.#begun) begun.push(this.#login(one))
    const keys = this.#keys.map((key) => this.#key(key))
    return JSON.stringify([...parts, sessions, begun, keys])
  }

  #label(kind: unknown, list?: unknown[]): number {
    const known = this.#labels.get(kind)
    if (known !== undefined) return known
    const label = this.#labels.size
    this.#labels.set(kind, label)
    list?.push(kind)
    return label
  }

  #session(id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#label(id, this.#sessions)
  }

  #login(begun: Begun): unknown {
    const { browser, tab, provider, row, issuedAt, user, tabSecret, usedIn, sentFrom, savedAt, savedAsConsumed } = begun
    const { runs, processes, clock } = this.#world
    return [
      browser.name,
      tab.name,
      provider,
      row,
      processes.map((process) => Math.min(clock.wall(process) - issuedAt, OLD)),
      user,
      this.#secret(tabSecret),
      processes.map((process) => this.#use(usedIn.get(process))),
      processes.map((process) => sentFrom.includes(process)),
      sentFrom.length,
      // Whether a request has read its session before this was saved.
      savedAsConsumed === undefined ? undefined : runs.map(({ readAt }) => readAt < savedAsConsumed),
      savedAt === undefined ? undefined : runs.map(({ readAt }) => readAt < savedAt),
    ]
  }

  /** Only a second login makes a process forget the first. */
  #uses(usedAt: readonly number[]): unknown {
    const { starts, plantedStarts } = this.#world.configuration.bounds
    return starts + plantedStarts > 1 && [...new Set(usedAt)].map((at) => this.#use(at))
  }

  #use(at: number | undefined): number | undefined {
    return at === undefined ? undefined : Math.min(this.#world.clock.now - at, OLD)
  }

  #key(key: Key): unknown {
    const { provider, account, browser, isSpent, requests, sentFor } = key
    return [
      provider,
      account,
      browser.name,
      isSpent,
      Math.min(requests, MANY),
      [...sentFor].map((begun) => this.#labels.get(begun)),
    ]
  }

  #browser(browser: Browser): unknown {
    const { session, loginCookie } = browser
    const tabCookie = this.#world.tabCookieOf(browser)
    return [
      this.#session(session),
      this.#cookie(loginCookie),
      this.#secret(tabCookie?.value),
      this.#use(tabCookie?.since),
    ]
  }

  #cookie(cookie: Browser['loginCookie']): number | undefined {
    return cookie && this.#label(cookie.begun, this.#begun)
  }

  #tab({ page, secret, callback }: Tab): unknown {
    const next = page.at === 'confirm' || page.at === 'script' ? this.#navigation(page.next) : undefined
    const provider = page.at === 'provider' ? page.provider : undefined
    return [page.at, provider, next, this.#secret(secret), callback && this.#navigation(callback)]
  }

  #secret(secret: string | undefined): unknown {
    return secret === undefined || secret === '' ? secret : this.#label(`secret ${secret}`)
  }

  #navigation({ kind, provider, row, key, injected, tabSecret, confirmation }: Navigation): unknown {
    const isAsked = confirmation && confirmation !== '1'
    return [kind, provider, row, key && this.#label(key, this.#keys), injected, this.#secret(tabSecret), isAsked]
  }

  #data(data: SessionData | undefined): unknown {
    const record = data?.['passport-social-login']
    const begun = record && this.#world.begun.get(record.id)
    return data && [data.user, begun && this.#label(begun, this.#begun), record?.consumed]
  }

  #run(run: Run): unknown {
    const { tab, process, navigation, session, wait, begun, loaded, first, fate, outcome, newSession, expected } = run
    return [
      tab.name,
      process.name,
      run.isLatest,
      navigation === 'logout' ? navigation : this.#navigation(navigation),
      this.#session(run.sessionID),
      this.#cookie(run.loginCookie),
      session && [this.#session(session.id), session.isNew, this.#data(session.data)],
      wait?.at,
      loaded && this.#label(loaded, this.#begun),
      begun && this.#label(begun, this.#begun),
      first && this.#world.runs.indexOf(first),
      first?.ending,
      expected && [expected.type, 'begun' in expected && this.#label(expected.begun, this.#begun)],
      fate,
      this.#secret(run.tabCookie),
      this.#secret(run.newTabCookie),
      run.wrote,
      run.setCookie === undefined ? undefined : run.setCookie === '',
      outcome && this.#outcome(outcome),
      this.#session(newSession),
    ]
  }

  #outcome(outcome: Outcome): unknown {
    if (outcome.type === 'refused') return outcome.code
    return outcome.type === 'page' ? outcome.next && this.#navigation(outcome.next) : outcome.type
  }
}
