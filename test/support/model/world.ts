import { Agent, Pool } from 'undici'
import { type Application, FakeProvider, type LoggedRequest } from '../../../lib/testing'
import { HookedStore } from '../hooked-store'
import { type Listening, listen } from '../listen'
import { signInAs } from '../provider-http'
import {
  type AppParts,
  buildApp,
  buildPassport,
  type Outcome,
  type ProviderName,
  providerNames,
  type Verified,
} from './app'
import { ModelBrowser } from './browser'

/** A provider with its application and two signed-in people. */
export interface Provider {
  readonly fake: FakeProvider
  readonly baseURL: string
  readonly application: Application
  /** The cookies of two people, each in the browser of that number. */
  readonly cookies: readonly string[]
}

/** Events since the last call. */
export interface Traffic {
  readonly outcomes: readonly Outcome[]
  readonly verified: readonly Verified[]
  readonly errors: readonly unknown[]
  readonly requests: readonly (LoggedRequest & { readonly provider: ProviderName })[]
}

/** Two people and an attacker. They have the same ids at every provider, so that only the provider differs. */
export const people = ['9007199254740993', '12', '666'] as const

/** Real servers, started once: three providers and an application that can be restarted. */
export class World {
  readonly keep: AppParts['keep']
  readonly origin: string
  readonly providers: Readonly<Record<ProviderName, Provider>>
  readonly sessions = new HookedStore()
  readonly pool: Pool
  readonly #server: Listening
  // The connections to the providers survive a restart: opening them again would take most of the time.
  readonly #agent = new Agent()
  readonly #parts: AppParts
  #passport: ReturnType<typeof buildPassport>

  private constructor(keep: AppParts['keep'], providers: World['providers'], listening: Listening) {
    const { server, origin } = listening
    this.keep = keep
    this.origin = origin
    this.providers = providers
    this.#server = listening
    // A missing response fails the run: every request must end in time.
    this.pool = new Pool(origin, { connections: 4, headersTimeout: 4000, bodyTimeout: 4000 })
    const report = { outcomes: [], verified: [], errors: [] }
    this.#parts = { keep, origin, providers, sessions: this.sessions, dispatcher: this.#agent, ...report }
    this.#passport = buildPassport(this.#parts)
    server.on(
      'request',
      buildApp(this.#parts, () => this.#passport),
    )
  }

  static async start(keep: AppParts['keep']): Promise<World> {
    const listening = await listen()
    const [a, b, h] = await Promise.all(providerNames.map((name) => startProvider(name, listening.origin)))
    if (!a || !b || !h) throw new Error('a provider is missing')
    return new World(keep, { a, b, h }, listening)
  }

  /** A new process of the application, with the same session store and the same keys. */
  restart(): void {
    this.#passport = buildPassport(this.#parts)
  }

  /** Clears the state of the last run. */
  clear(): void {
    this.restart()
    this.sessions.before = undefined
    this.sessions.clear()
    for (const name of providerNames) this.providers[name].fake.clearFaults()
    this.takeTraffic()
  }

  /** Events since the last call. */
  takeTraffic(): Traffic {
    const { outcomes, verified, errors } = this.#parts
    const requests = providerNames.flatMap((provider) => {
      const { fake } = this.providers[provider]
      const logged = fake.requests.map((request) => ({ ...request, provider }))
      fake.clearRequests()
      return logged
    })
    return { outcomes: outcomes.splice(0), verified: verified.splice(0), errors: errors.splice(0), requests }
  }

  browser(): ModelBrowser {
    return new ModelBrowser(this.pool)
  }

  async stop(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.#agent.destroy(), this.#server.stop()])
    await Promise.all(providerNames.map((name) => this.providers[name].fake.stop()))
  }
}

async function startProvider(name: ProviderName, appOrigin: string): Promise<Provider> {
  const fake = await FakeProvider.start({
    users: people.map((user_id) => ({ user_id })),
    rateLimit: Number.POSITIVE_INFINITY,
    // Unused keys never expire, as on some deployed providers.
    mode: { keyLifetime: Number.POSITIVE_INFINITY },
  })
  const application = fake.registerApplication({
    name: 'Model',
    redirectURL: `${appOrigin}/${name}/callback`,
    appSecret: `app-secret-canary-of-${name}-${'5d8e1c'.repeat(3)}`,
  })
  const cookies = await Promise.all(
    people.slice(0, 2).map((userID) => {
      fake.approve({ appID: application.appID, userID })
      return signInAs(fake, userID)
    }),
  )
  return { fake, baseURL: fake.baseURL, application, cookies }
}
