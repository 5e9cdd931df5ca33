import type { ProviderName } from './app'
import { type Seen, sessionIDIn, type Visit } from './browser'
import { BrowserStep, headersOf, issueKey, remember, silentApproval } from './commands'
import { checkExchanges, checkUntouched, demand } from './invariants'
import { judgeLogin, judgeRefusal, loginName } from './judge'
import type { CallbackRow } from './rows'
import { isUsed, type Key, type Model, refusalBy, sessionFacts } from './state'
import { armStore, type StoreFault } from './store-fault'
import type { World } from './world'

/** Which key a callback carries. */
export type KeyChoice =
  | { readonly kind: 'approved'; readonly person: 0 | 1 | 2 }
  | { readonly kind: 'of another provider'; readonly provider: ProviderName }
  | { readonly kind: 'seen before'; readonly index: number }
  | { readonly kind: 'silently approved' }
  | { readonly kind: 'made up' }

/** How the key appears in the query. */
export const shapes = {
  plain: (key: string) => `auth_key=${key}`,
  'with an error': (key: string) => `error=%22%3Cscript%3E%0d%0a&auth_key=${key}&user_id=1`,
  repeated: (key: string) => `auth_key=${key}&auth_key=${key}`,
  'in brackets': (key: string) => `auth_key[]=${key}`,
  'behind a second question mark': (key: string) => `a=1?auth_key=${key}`,
  missing: () => 'error=access_denied',
} as const

export interface CallbackInput {
  /** Default: that of the login in progress. */
  readonly strategy: ProviderName | undefined
  readonly key: KeyChoice
  readonly row: CallbackRow
  readonly shape: keyof typeof shapes
  /** Double click: the same callback twice at once. */
  readonly twice: boolean
  readonly storeFault: StoreFault | undefined
}

/** A request to a callback, genuine or forged. */
export class Callback extends BrowserStep {
  readonly #input: CallbackInput

  constructor(index: 0 | 1, input: CallbackInput) {
    super(index)
    this.#input = input
  }

  async act(model: Model, world: World) {
    const { row, shape } = this.#input
    const state = this.actor(model)
    const strategy = this.#input.strategy ?? state.pending?.strategy ?? 'a'
    const key = await chooseKey(this.#input.key, strategy, model, world, this.index)
    world.takeTraffic()
    const before = sessionFacts(world, state.browser.cookies)
    const { cookies } = state.browser
    const path = `/${strategy}/callback?${shapes[shape](key.value)}`
    const visit: Visit = { path, method: row.method, lax: row.lax, headers: headersOf(row.headers, world, strategy) }
    const { answers, fired } = await this.#send(visit, model, world)
    const traffic = world.takeTraffic()
    const login = loginName(state.pending, { keep: world.keep, process: model.process })
    const exchanges = checkExchanges(model, strategy, login, traffic)
    const names = traffic.outcomes.map(({ name }) => name)
    const untouched = () => checkUntouched(before, world, state.browser.cookies)
    const refusedByGate = this.#gate()
    const { pending } = state
    if (fired === 'get' || refusedByGate !== undefined) {
      const expected =
        fired === 'get' || refusedByGate === 'speculative_request' ? [] : answers.map(() => refusedByGate)
      demand(names.join() === expected.join() && exchanges === 0, 'I1 gate', { expected, names })
      untouched()
    } else if (fired === 'set') {
      demand(names.join() === 'session_unavailable' && exchanges === 0, 'I2 unsaved', { names, exchanges })
      if (pending) pending.certain = false
      untouched()
    } else {
      const place = { keep: world.keep, process: model.process }
      const isSilent = row.name.startsWith('G3')
      const refusal = refusalBy(pending, { strategy, user: state.user, now: model.clock.now, isSilent, ...place })
      if (refusal === undefined && pending) {
        judgeLogin({ model, world, state, pending, strategy, key, traffic, exchanges, untouched })
        if (exchanges > 0) state.captured = { pending, cookies, path, headers: visit.headers }
      } else judgeRefusal({ state, refusal: refusal ?? '', names, exchanges, now: model.clock.now, untouched })
    }
    return { answers, traffic }
  }

  async #send(visit: Visit, model: Model, world: World) {
    const { twice, storeFault } = this.#input
    const { browser } = this.actor(model)
    if (twice) return { answers: await Promise.all([browser.visit(visit), browser.visit(visit)]), fired: undefined }
    const fault = armStore(world, storeFault)
    const answers: Seen[] = [await browser.visit(visit)]
    return { answers, fired: fault.disarm() }
  }

  /** The refusals that precede the check of the pending login. */
  #gate(): string | undefined {
    const { row, shape } = this.#input
    if (row.verdict === 'speculative_request' || row.verdict === 'method_not_allowed') return row.verdict
    if (shape === 'missing') return 'auth_key_missing'
    if (shape !== 'plain' && shape !== 'with an error') return 'auth_key_malformed'
    return row.verdict === 'genuine' ? undefined : row.verdict
  }

  toString(): string {
    const { strategy, key, row, shape, twice, storeFault } = this.#input
    const extras = [shape === 'plain' ? '' : shape, twice ? 'twice' : '', storeFault ? `store ${storeFault}` : '']
    const parts = [strategy ?? 'own strategy', JSON.stringify(key), row.name, ...extras.filter(Boolean)]
    return `callback(browser ${this.index}, ${parts.join(', ')})`
  }
}

async function chooseKey(
  choice: KeyChoice,
  strategy: ProviderName,
  model: Model,
  world: World,
  index: 0 | 1,
): Promise<Key> {
  const madeUp = (): Key => ({
    value: '0123456789abcdef0123456789abcdef',
    provider: 'nobody',
    userID: '',
    spent: false,
  })
  switch (choice.kind) {
    case 'approved':
      return issueKey(model, world, strategy, choice.person)
    case 'of another provider':
      return issueKey(model, world, choice.provider, 2)
    case 'seen before':
      return model.keys[choice.index % Math.max(1, model.keys.length)] ?? remember(model, madeUp())
    case 'silently approved':
      return silentApproval(model, world, strategy, index)
    case 'made up':
      return remember(model, madeUp())
  }
}

/** Repeats a callback that consumed its login, with a copy of the cookies of that time. */
export class Replay extends BrowserStep {
  override check(model: Readonly<Model>): boolean {
    const used = model.browsers[this.index].captured?.pending
    // A sealed cookie is consumed only within one process; a session record permanently.
    return used !== undefined && isUsed(used, { keep: 'cookie', process: model.process })
  }

  async act(model: Model, world: World) {
    const state = this.actor(model)
    const { captured, browser } = state
    demand(captured !== undefined, 'nothing to replay', state)
    const before = sessionFacts(world, browser.cookies)
    const sameSession = sessionIDIn(captured.cookies) === sessionIDIn(browser.cookies)
    // In the same session, the copy may finish a newer login: that would be a callback, not a replay.
    if (world.keep === 'session' && sameSession && state.pending) return { answers: [], traffic: world.takeTraffic() }
    const visit = { path: captured.path, method: 'GET', headers: captured.headers, lax: true } as const
    const answers = [await browser.visitWith(captured.cookies, visit)]
    const traffic = world.takeTraffic()
    const names = traffic.outcomes.map(({ name }) => name)
    demand(traffic.requests.length === 0 && !names.includes('success'), 'I2 replay', { names })
    checkUntouched(before, world, browser.cookies)
    return { answers, traffic }
  }

  toString(): string {
    return `replay(browser ${this.index})`
  }
}
