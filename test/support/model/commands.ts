import type { AsyncCommand } from 'fast-check'
import type { ProviderName } from './app'
import type { Seen, Visit } from './browser'
import { checkActions, checkProviders, checkSinks, checkUntouched, checkUsers, demand } from './invariants'
import { APP, PROVIDER } from './rows'
import { type BrowserState, type Key, type Model, type PlannedFault, sessionFacts } from './state'
import { people, type Traffic, type World } from './world'

/** One step of a run. After each, the invariants that hold at any time are checked. */
export abstract class Step implements AsyncCommand<Model, World> {
  check(_model: Readonly<Model>): boolean {
    return true
  }

  async run(model: Model, world: World): Promise<void> {
    const bystanders = model.browsers.filter((state) => state !== this.actor(model))
    const before = bystanders.map(({ browser }) => sessionFacts(world, browser.cookies))
    const { answers, traffic } = await this.act(model, world)
    checkActions(model, traffic, answers)
    checkProviders(world, model, traffic)
    checkSinks(world, model, traffic, answers)
    checkUsers(world, model)
    for (const [index, { browser }] of bystanders.entries()) {
      const facts = before[index]
      if (facts) checkUntouched(facts, world, browser.cookies)
    }
  }

  abstract act(model: Model, world: World): Promise<{ answers: readonly Seen[]; traffic: Traffic }>
  abstract toString(): string

  /** The browser that may change. */
  protected actor(_model: Model): BrowserState | undefined {
    return undefined
  }
}

/** A step of one browser. */
export abstract class BrowserStep extends Step {
  protected readonly index: 0 | 1

  constructor(index: 0 | 1) {
    super()
    this.index = index
  }

  protected override actor(model: Model): BrowserState {
    return model.browsers[this.index]
  }
}

/** Replaces the placeholders of a row by the origins of this world. */
export function headersOf(headers: Visit['headers'], world: World, provider: ProviderName): Record<string, string> {
  const { origin } = world.providers[provider].fake
  const fill = (value: string): string => value.replace(PROVIDER, origin).replace(APP, world.origin)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
}

/** A key as issued by an approval, for the person at the provider. */
export function issueKey(model: Model, world: World, provider: ProviderName, person: number): Key {
  const { fake, application } = world.providers[provider]
  const userID = people[person] ?? people[0]
  const value = fake.issueAuthKey({ appID: application.appID, userID })
  return remember(model, { value, provider, userID, spent: false })
}

export function remember(model: Model, key: Key): Key {
  model.keys.push(key)
  return key
}

const PLAIN = { method: 'GET', headers: {}, lax: true } as const

/** The application's own pages: fills a cart, signs in with a password, signs out. */
export class OwnPage extends BrowserStep {
  readonly #page: 'cart' | 'become' | 'logout'

  constructor(index: 0 | 1, page: 'cart' | 'become' | 'logout') {
    super(index)
    this.#page = page
  }

  async act(model: Model, world: World) {
    const state = this.actor(model)
    const seen = await state.browser.visit({ ...PLAIN, path: `/${this.#page}` })
    if (this.#page === 'become') state.user = 'local:1'
    if (this.#page === 'logout') {
      state.user = undefined
      // Passport starts a new session, which drops a login stored in the old one.
      if (world.keep === 'session') state.pending = undefined
    }
    return { answers: [seen], traffic: world.takeTraffic() }
  }

  toString(): string {
    return `${this.#page}(browser ${this.index})`
  }
}

/** The person visits the provider's page, which approves silently, and never comes back: only a key is left. */
export class Cancel extends BrowserStep {
  readonly #provider: ProviderName

  constructor(index: 0 | 1, provider: ProviderName) {
    super(index)
    this.#provider = provider
  }

  async act(model: Model, world: World) {
    await silentApproval(model, world, this.#provider, this.index)
    return { answers: [], traffic: world.takeTraffic() }
  }

  toString(): string {
    return `cancel(browser ${this.index}, ${this.#provider})`
  }
}

/** Visits the login page of a provider that has approved before. */
export async function silentApproval(model: Model, world: World, provider: ProviderName, index: 0 | 1): Promise<Key> {
  const { fake, application, cookies } = world.providers[provider]
  const query = new URLSearchParams({ app_id: application.appID })
  const headers = { cookie: cookies[index] ?? '' }
  const answer = await fetch(`${fake.oauthBase}/oauth?${query}`, { headers, redirect: 'manual' })
  const target = new URL(answer.headers.get('location') ?? 'about:blank')
  demand(target.origin + target.pathname === application.redirectURL, 'silent approval', { target: target.href })
  const userID = people[index]
  return remember(model, { value: target.searchParams.get('auth_key') ?? '', provider, userID, spent: false })
}

/** Time passes, or a clock is adjusted. */
export class Clock extends Step {
  readonly #milliseconds: number

  constructor(milliseconds: number) {
    super()
    this.#milliseconds = milliseconds
  }

  async act(model: Model, world: World) {
    // A sealed cookie stays consumed as long as its process remembers; clocks are turned back only with sessions.
    if (this.#milliseconds > 0 || world.keep === 'session') model.clock.now += this.#milliseconds
    return { answers: [], traffic: world.takeTraffic() }
  }

  toString(): string {
    return `clock(${this.#milliseconds / 1000} s)`
  }
}

/** The application's process is replaced. */
export class Restart extends Step {
  async act(model: Model, world: World) {
    world.restart()
    model.process += 1
    for (const { pending } of model.browsers) if (pending?.usedIn !== undefined) pending.certain = false
    return { answers: [], traffic: world.takeTraffic() }
  }

  toString(): string {
    return 'restart'
  }
}

/** The next request to a provider goes wrong. */
export class ProviderFault extends Step {
  readonly #provider: ProviderName
  readonly #planned: (world: World) => PlannedFault
  readonly #name: string

  constructor(provider: ProviderName, name: string, planned: (world: World) => PlannedFault) {
    super()
    this.#provider = provider
    this.#planned = planned
    this.#name = name
  }

  async act(model: Model, world: World) {
    const planned = this.#planned(world)
    world.providers[this.#provider].fake.failNext(planned.endpoint, planned.fault)
    model.faults[this.#provider].push(planned)
    return { answers: [], traffic: world.takeTraffic() }
  }

  toString(): string {
    return `fault(${this.#provider}, ${this.#name})`
  }
}

/** The faults of a hostile or failing provider. */
export const plannedFaults: Readonly<Record<string, (world: World) => PlannedFault>> = {
  'exchange reset': () => ({ endpoint: 'authorize', fault: { reset: true }, spends: false }),
  'exchange 500': () => ({ endpoint: 'authorize', fault: { status: 500 }, spends: false }),
  'exchange null': () => ({ endpoint: 'authorize', fault: { body: 'null' }, spends: false }),
  'exchange refused at 200': () => ({ endpoint: 'authorize', fault: { body: '{"error":true}' }, spends: false }),
  'exchange cut off': () => ({ endpoint: 'authorize', fault: { truncate: 5 }, spends: true }),
  'exchange redirected': ({ providers }) => ({
    endpoint: 'authorize',
    fault: { status: 307, redirect: `${providers.h.fake.oauthBase}/authorize` },
    spends: false,
  }),
  'profile reset': () => ({ endpoint: 'user/me', fault: { reset: true }, spends: true }),
  'profile 429': () => ({ endpoint: 'user/me', fault: { status: 429 }, spends: true }),
  'profile of nobody': () => ({ endpoint: 'user/me', fault: { body: '{"user_id":0}' }, spends: true }),
  'profile redirected': ({ providers }) => ({
    endpoint: 'user/me',
    fault: { redirect: `${providers.h.fake.baseURL}/user/me` },
    spends: true,
  }),
  'profile of somebody else': () => ({
    endpoint: 'user/me',
    fault: { body: `{"user_id":${people[0]}}` },
    liesAbout: people[0],
    spends: true,
  }),
}
