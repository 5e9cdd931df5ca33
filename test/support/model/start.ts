import { LABEL, type ProviderName } from './app'
import type { Seen } from './browser'
import { BrowserStep, headersOf } from './commands'
import { checkUntouched, demand } from './invariants'
import { type StartRow, startRows } from './rows'
import { type Model, sessionFacts } from './state'
import { armStore, type StoreFault } from './store-fault'
import type { Traffic, World } from './world'

/** Input of a start. */
export interface StartInput {
  readonly provider: ProviderName
  readonly row: StartRow
  /** Whether the person clicks on the confirm page, if there is one. */
  readonly click: boolean
  readonly storeFault: StoreFault | undefined
}

/** A request that starts a login, genuine or forged. */
export class Start extends BrowserStep {
  readonly #input: StartInput

  constructor(index: 0 | 1, input: StartInput) {
    super(index)
    this.#input = input
  }

  async act(model: Model, world: World) {
    const { provider, row, storeFault } = this.#input
    const { browser } = this.actor(model)
    const before = sessionFacts(world, browser.cookies)
    const fault = armStore(world, storeFault)
    model.labels += 1
    const clicks = row.verdict === 'unverified' && this.#input.click
    // The label would reveal a login that started without proof.
    const label = row.verdict === 'verified' ? `login-${model.labels}` : `planted-${model.labels}`
    const path = `/${provider}/auth?from=%22%3E${model.labels}`
    const headers = { ...headersOf(row.headers, world, provider), [LABEL]: label }
    const first = await browser.visit({ ...row, path, headers })
    const answers = [first]
    if (clicks && first.status === 200) answers.push(await this.#click(first, model, world))
    const fired = fault.disarm()
    const traffic = world.takeTraffic()
    checkUntouched(before, world, browser.cookies)
    demand(traffic.requests.length === 0, 'I3 request to a provider at the start', traffic.requests)
    this.#judge(model, world, answers, traffic, fired, clicks)
    return { answers, traffic }
  }

  /** Follows the confirm page's link, or presses its button. */
  #click(page: Seen, model: Model, world: World): Promise<Seen> {
    const { provider, row } = this.#input
    const [, target = ''] = /(?:href|action)="(\.\/[^"]+)"/.exec(page.body) ?? []
    const [own] = startRows
    const { pathname, search } = new URL(target, `http://localhost/${provider}/auth`)
    const isStart = pathname === `/${provider}/auth` && search.startsWith('?from=%22%3E')
    demand(isStart && own !== undefined, 'I1 confirm page', page.body)
    const headers = { ...headersOf(own.headers, world, provider), [LABEL]: `login-${model.labels}` }
    return this.actor(model).browser.visit({ method: row.method, lax: true, path: pathname + search, headers })
  }

  #judge(
    model: Model,
    world: World,
    answers: readonly Seen[],
    { outcomes }: Traffic,
    fired: StoreFault | undefined,
    clicks: boolean,
  ): void {
    const { provider, row } = this.#input
    const state = this.actor(model)
    const last = answers.at(-1)
    const names = outcomes.map(({ name }) => name)
    if (fired === 'get') return demand(names.length === 0 && last?.status === 500, 'store fault', { names, last })
    const expected = expectedOutcome(row, clicks, fired)
    demand(names.join() === (expected ?? ''), 'I1 start', { expected, names, last })
    if (expected === undefined) {
      const status = row.verdict === 'unverified' ? 200 : 503
      demand(last?.status === status, 'I6 own page', last)
    }
    if (expected !== 'redirect') return
    const { fake, application } = world.providers[provider]
    const loginURL = `${fake.oauthBase}/oauth?app_id=${application.appID}`
    demand(last?.headers['location'] === loginURL, 'I4 login URL', last)
    const { now } = model.clock
    const label = `login-${model.labels}`
    state.pending = { label, strategy: provider, issuedAt: now, user: state.user, certain: true, successes: 0 }
  }

  toString(): string {
    const { provider, row, click, storeFault } = this.#input
    return `start(browser ${this.index}, ${provider}, ${row.name}${click ? ', click' : ''}${storeFault ? `, store ${storeFault}` : ''})`
  }
}

/** The expected action, or undefined if the strategy itself responds. */
function expectedOutcome(row: StartRow, clicks: boolean, fired: StoreFault | undefined): string | undefined {
  if (row.verdict === 'verified' || clicks) return fired === 'set' ? 'session_unavailable' : 'redirect'
  return row.verdict === 'start_forbidden' ? 'start_forbidden' : undefined
}
