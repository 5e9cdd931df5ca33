import type { OutcomeCode, PendingLogin } from '../../lib'
import { MAX_AGE_MS, MAX_CLOCK_SKEW_MS, SILENT_APPROVAL_MS } from '../../lib/limits'
import { digest } from '../../lib/login/pending-login/pending-login'
import type { ProviderName } from './configuration'
import type { Begun, Key, Navigation } from './facts'
import { PROVIDER_ORIGINS } from './process'
import { nameOf, type Run } from './run'
import type { SessionData } from './sessions'
import type { World } from './world'

/** What a request must come to, judged by what has happened in the world, and by nothing that the code has noted. */
export type Expectation =
  /** `over`: the browser has no login that is not over. */
  | { readonly type: 'page' | 'page after a login' | 'redirect' | 'ask' | 'over' }
  | { readonly type: 'accept'; readonly begun: Begun }
  | { readonly type: 'join'; readonly begun: Begun; readonly first: Run }
  | { readonly type: 'refuse'; readonly code: OutcomeCode }

/** The known limits, each with its exact shape. Whatever else breaks an invariant is a defect. */
export const EXCEPTIONS = {
  'attacker within the window':
    'a page of the attacker sent the attacker’s key to the callback, from another site and without a Referer, or within 30 seconds with that of the application, or by an address to type where the start was typed, in the browser of an unused login of the same provider, before its own callback; with tab binding only in the tab of that login',
  'session read twice':
    'two processes had read the session of one login before either had saved it as consumed: each sends a key',
  'cookie used twice':
    'the browser sent the sealed cookie of one login to two processes (or to one before and after its restart) before it had the response that deletes it: each sends a key',
  'clock set back':
    'the wall clock of a process was set back by more than a minute, more than eleven minutes after it had used the sealed cookie of a login, and another login had followed: it sends a second key',
  'key of an earlier login':
    'the browser repeated the callback of an earlier login, by a reload or the back button, while a later one waited: its key is sent again',
  'save after a logout':
    'the session of a request was read before a logout and saved after it: the ended session exists again, for whoever still has its old cookie',
  'cookie of a later login':
    'the response to a callback deletes the cookie of a login that was begun after the callback had been sent',
  'save over a start': 'the session of a request was read before another start saved its login, and saved after it',
} as const

export type ExceptionName = keyof typeof EXCEPTIONS

/** A broken invariant. */
export class Violation extends Error {}

export class Judge {
  readonly #world: World
  /** What the last event has shown. */
  exceptions: ExceptionName[] = []
  outcomes: `${string}: ${string}`[] = []
  violation: Violation | undefined

  constructor(world: World) {
    this.#world = world
  }

  fail(invariant: string, details: unknown): never {
    const text = details instanceof Error ? (details.stack ?? details.message) : String(details)
    this.violation ??= new Violation(`${invariant}: ${text}`)
    throw this.violation
  }

  /** What a request threw that no outcome explains; nobody else waits for it. */
  report(error: unknown): void {
    this.violation ??= new Violation(`a request failed outside of the login: ${error}`)
  }

  #demand(holds: boolean, invariant: string, details: unknown): asserts holds {
    if (!holds) this.fail(invariant, details)
  }

  #except(name: ExceptionName): void {
    this.exceptions.push(name)
  }

  expect(run: Run, navigation: Navigation): void {
    run.expected =
      navigation.kind === 'start' ? this.#expectStart(run, navigation) : this.#expectCallback(run, navigation)
    if (run.expected.type === 'join') run.first = run.expected.first
  }

  #expectStart(run: Run, { row, tabSecret, confirmation }: Navigation): Expectation {
    const { tabBinding, unverifiedStart } = this.#world.configuration
    const isAllowed = unverifiedStart === 'allow'
    if (row === 'own' && !isAllowed && this.#isAfterLogin(run, confirmation)) return { type: 'page after a login' }
    const isConfirmed = row === 'own' || isAllowed
    const isAsked = tabBinding && tabSecret === undefined
    return { type: isConfirmed && !isAsked ? 'redirect' : 'page' }
  }

  /** Whether a login of the tab has ended a moment ago, so that nobody may have clicked, and no page of ours has asked. */
  #isAfterLogin(run: Run, confirmation: string | undefined): boolean {
    return run.tabCookie !== undefined && confirmation !== digest(run.tabCookie, 'confirmed')
  }

  #expectCallback(run: Run, navigation: Navigation): Expectation {
    const record = this.#world.recordOf(run.tab.browser, run.session)
    const begun = run.loginCookie?.begun ?? (record && this.#world.begun.get(record.id))
    run.loaded = begun
    // A process knows the keys of the logins that run in it, for each provider.
    const running = begun?.provider === navigation.provider ? this.#running(run, begun) : undefined
    if (!begun) return { type: 'over' }
    const code = this.#refusal(run, navigation, begun)
    const isTabKnown = !this.#world.configuration.tabBinding || navigation.tabSecret !== undefined
    // A process remembers the logins that it has used for each provider.
    const isRemembered = begun.provider === navigation.provider && begun.usedIn.has(run.process)
    if (record?.consumed || isRemembered) {
      const first = running?.key === run.key ? running : undefined
      return code || !isTabKnown || !first ? { type: 'over' } : { type: 'join', begun, first }
    }
    if (code) return { type: 'refuse', code }
    if (!isTabKnown) return { type: 'ask' }
    return this.#isOverloaded(run, navigation.provider)
      ? { type: 'refuse', code: 'overloaded' }
      : { type: 'accept', begun }
  }

  #refusal(run: Run, { provider, row, tabSecret }: Navigation, begun: Begun): OutcomeCode | undefined {
    const { clock } = this.#world
    if (begun.provider !== provider) return 'context_mismatch'
    const age = clock.wall(run.process) - begun.issuedAt
    if (begun.user !== run.session?.user) return 'user_changed'
    if (row === 'typed' && begun.row !== 'typed') return 'callback_forged'
    if ((row === 'app' || row === 'app again') && tabSecret === undefined && age > SILENT_APPROVAL_MS)
      return 'callback_forged'
    if (tabSecret !== undefined && tabSecret !== begun.tabSecret) return 'tab_mismatch'
    if (age > MAX_AGE_MS || age < -MAX_CLOCK_SKEW_MS) return 'login_expired'
    return undefined
  }

  #isOverloaded({ process }: Run, provider: ProviderName): boolean {
    const { runs, configuration } = this.#world
    const waiting = runs.filter(({ expected, wait, process: other }) => {
      const isThere = other === process && expected?.type === 'accept' && expected.begun.provider === provider
      return isThere && (wait?.at === 'save' || wait?.at === 'exchange')
    })
    return waiting.length >= configuration.maxConcurrentLogins
  }

  /** The request whose login runs. A double with its key can wait for it. */
  #running(run: Run, begun: Begun): Run | undefined {
    return this.#world.runs.find(
      ({ process, expected, wait }) =>
        process === run.process &&
        expected?.type === 'accept' &&
        expected.begun === begun &&
        wait !== undefined &&
        ['save', 'exchange', 'verify'].includes(wait.at),
    )
  }

  checkStart({ row, injected }: Navigation): void {
    const isWanted = (row === 'own' && !injected) || this.#world.configuration.unverifiedStart === 'allow'
    this.#demand(isWanted, 'a login is begun that nobody began on a page of the application', row)
  }

  checkConsumption(run: Run, { id, consumed }: PendingLogin): void {
    const { expected } = run
    this.#demand(!consumed, 'a record is saved as used that is saved as used already', id)
    const begun = this.#world.begun.get(id)
    this.#demand(begun !== undefined, 'a record is used that no start has made', id)
    const isDue = (expected?.type === 'accept' || expected?.type === 'join') && expected.begun === begun
    this.#demand(isDue, 'a callback uses a record that it must not use', expected?.type)
    run.consumed = begun
    if (expected.type !== 'accept') return
    begun.usedIn.set(run.process, this.#world.clock.now)
    run.process.usedAt.push(this.#world.clock.now)
  }

  /** The record could not be saved as consumed, so its key was not sent. */
  forget({ expected, process }: Run): void {
    if (expected?.type === 'accept') expected.begun.usedIn.delete(process)
  }

  checkExchange(run: Run, key: Key, provider: ProviderName): void {
    const { expected, process } = run
    this.#demand(expected?.type === 'accept', 'a key is sent by a callback that must not send it', expected?.type)
    const { begun } = expected
    this.#demand(begun.provider === provider, 'a key is sent to another provider than that of the login', provider)
    if (begun.sentFrom.includes(process)) this.#checkForgotten(begun)
    else if (begun.sentFrom.length > 0) this.#checkSecondUse(run, begun)
    else if (key.sentFor.size > 0) this.#checkRepeated(key)
    begun.sentFrom.push(process)
    key.sentFor.add(begun)
  }

  #checkRepeated({ value, requests }: Key): void {
    const usual = this.#world.configuration.tabBinding ? 2 : 1
    this.#demand(requests > usual, 'a key is sent twice that the browser has brought once', value)
    this.#except('key of an earlier login')
  }

  #checkForgotten({ provider }: Begun): void {
    const { configuration, setBack } = this.#world
    const isShape = configuration.store === 'cookie' && setBack > MAX_CLOCK_SKEW_MS
    this.#demand(isShape, 'one process sends two keys for one login', provider)
    this.#except('clock set back')
  }

  #checkSecondUse(run: Run, { savedAsConsumed }: Begun): void {
    const { store } = this.#world.configuration
    if (store === 'cookie') return this.#except('cookie used twice')
    this.#demand(store === 'session', 'a used record is accepted again by a store that tells', run.process.name)
    const wasUnsaved = savedAsConsumed === undefined || run.readAt < savedAsConsumed
    this.#demand(wasUnsaved, 'a used record is accepted again', run.process.name)
    this.#except('session read twice')
  }

  /** A store that tells which use was the first has refused this one. */
  checkDenial({ expected, process }: Run): void {
    const begun = expected?.type === 'accept' ? expected.begun : undefined
    const others = [...(begun?.usedIn.keys() ?? [])].filter((other) => other !== process)
    this.#demand(others.length > 0, 'the first use of a login is taken for a second', process.name)
  }

  checkRedirect(url: string, provider: ProviderName): void {
    this.#demand(url.startsWith(`${PROVIDER_ORIGINS[provider]}/`), 'a start leads elsewhere than to the provider', url)
  }

  checkSignIn(run: Run, user: string): void {
    const { expected, key, tab, navigation, process } = run
    const isLogin = expected?.type === 'accept' || expected?.type === 'join'
    this.#demand(isLogin && key !== undefined && navigation !== 'logout', 'nobody may be signed in here', user)
    const { begun } = expected
    this.#demand(begun.browser === tab.browser, 'a login ends in another browser', tab.name)
    this.#demand(begun.provider === navigation.provider, 'a login ends at another provider', navigation.provider)
    this.#demand(begun.usedIn.has(process), 'somebody is signed in by an unused record', user)
    this.#demand(user === `${begun.provider}:${key.account}`, 'somebody else is signed in', user)
    const record = this.#world.recordOf(tab.browser, run.session)
    const isKept = record?.id === begun.record.id && !record.consumed
    this.#demand(!isKept, 'the session of a request holds the used record as unused', user)
    if (key.browser === tab.browser) return
    const { tabBinding } = this.#world.configuration
    const isShape = navigation.injected && (tabBinding ? begun.tab === tab : navigation.row !== 'provider')
    this.#demand(isShape, 'the key of another browser signs somebody in', `${navigation.row} in ${tab.name}`)
    this.#except('attacker within the window')
  }

  checkSave(run: Run, id: string, { user, 'passport-social-login': record }: SessionData): void {
    const now = this.#world.sessions.load(id)
    const saved = now?.['passport-social-login']
    const begun = record && this.#world.begun.get(record.id)
    this.#demand(!begun || run.consumed !== begun || record.consumed === true, 'a used record is saved as unused', id)
    if (begun && record.consumed) begun.savedAsConsumed ??= this.#world.time
    else if (begun) begun.savedAt ??= this.#world.time
    if (user !== now?.user) {
      this.#demand(now === undefined, 'a save changes who is signed in', `${now?.user} to ${user}`)
      this.#except('save after a logout')
    }
    if (run.begun || !saved || saved.consumed || saved.id === record?.id || saved.id === run.loaded?.record.id) return
    const isNewer = (this.#world.begun.get(saved.id)?.savedAt ?? 0) > run.readAt
    this.#demand(isNewer, 'a save loses a login that it could see', saved.id)
    this.#except('save over a start')
  }

  checkOutcome(run: Run): void {
    const { expected, outcome, wait } = run
    run.fate = fateOf(run)
    if (wait?.at === 'save') this.forget(run)
    if (!expected || !outcome) return
    const actual = nameOf(outcome)
    run.ending = actual
    const due = this.#due(run, expected)
    this.#demand(
      due.includes(actual),
      'a request ends otherwise than it must',
      `${actual}, not ${due.join(' or ') || 'a login'}`,
    )
    const mayWrite = ['accept', 'join', 'redirect'].includes(expected.type)
    this.#demand(
      mayWrite || !(run.wrote || run.setCookie !== undefined),
      'a refused callback changes something',
      actual,
    )
    this.outcomes.push(`${expected.type}: ${actual}`)
  }

  #due(run: Run, expected: Expectation): readonly (string | undefined)[] {
    if (run.fate === 'session_unavailable') return [run.fate]
    switch (expected.type) {
      case 'accept':
        return [run.fate]
      case 'join':
        return [expected.first.ending ?? fateOf(expected.first)]
      case 'refuse':
        return [expected.code]
      case 'ask':
      case 'page':
      case 'page after a login':
        return ['page']
      case 'over':
        return ['login_not_started']
      case 'redirect':
        return ['redirect']
    }
  }

  checkDelivery(run: Run, before: string | undefined): void {
    const { expected, tab } = run
    const isKept = expected?.type === 'accept' && tab.browser.loginCookie?.begun === expected.begun
    this.#demand(!isKept, 'the browser keeps the cookie of a used login', tab.name)
    if (run.navigation === 'logout' || run.navigation.kind !== 'callback' || run.newSession !== undefined) return
    const after = this.#world.userOf(tab.browser)
    this.#demand(after === before, 'a callback that signs nobody in changes who is signed in', `${before} to ${after}`)
  }

  /** The response deletes the cookie of a login. */
  checkCookieEnd({ loaded, loginCookie }: Run, now: Begun | undefined): void {
    if (!now || now === loaded || now.usedIn.size > 0) return
    this.#demand(loginCookie?.begun === loaded, 'a response deletes a cookie that it has not read', loaded?.provider)
    this.#except('cookie of a later login')
  }

  /** Every request waits for an event, or for a request that does, or has ended. */
  checkWaiting(): void {
    if (this.violation) throw this.violation
    for (const { wait, first } of this.#world.runs) {
      const waits = wait !== undefined || first?.wait !== undefined
      this.#demand(waits, 'a request neither waits nor ends', nameOfRun(first))
    }
  }
}

/** How a request must end: where it still waits, it was given up. */
function fateOf({ wait, fate }: Run): string | undefined {
  if (wait?.at === 'exchange') return 'provider_timeout'
  return wait?.at === 'save' ? 'session_unavailable' : fate
}

function nameOfRun(run: Run | undefined): string {
  return run ? `after ${run.tab.name}` : 'alone'
}
