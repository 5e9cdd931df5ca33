import { once } from 'node:events'
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_TIMEOUT_MS } from '../../limits'
import type { PendingLogin } from '../../login/pending-login/pending-login'
import type { PendingLoginStore } from '../../login/pending-login/store'
import { Clock } from '../clock'
import { CookieBrowser } from '../cookie-browser'
import { listen, shutDown } from '../http/server'
import { providerNavigation, sameOriginNavigation } from '../navigation'

/**
 * Options of {@link checkPendingLoginStore}.
 * @example
 * import session from 'express-session'
 *
 * const middleware = session({ secret: 'for tests', resave: false, saveUninitialized: false })
 * const options: PendingLoginStoreCheck = { middleware, atomic: false }
 */
export interface PendingLoginStoreCheck {
  /** Runs before each request, as in Connect and Express: the session middleware, for a store in the session. */
  // `never`, because the types of Express's and Connect's requests differ.
  readonly middleware?: ((req: never, res: never, next: (error?: unknown) => void) => unknown) | undefined
  /**
   * False for a store that cannot tell which of two callbacks came first, such as one in a session: several processes
   * can then use a login once each. Default true: `consume` must tell.
   */
  readonly atomic?: boolean | undefined
  /** Lets this time pass for the storage. Without it, nothing is checked about expiry. */
  readonly passTime?: ((milliseconds: number) => Promise<void>) | undefined
  /** Takes the storage away, and brings it back with what it held. Without it, nothing is checked about outages. */
  readonly outage?: StorageOutage | undefined
}

/**
 * Simulates an outage of a store's storage.
 * @example
 * const outage: StorageOutage = { begin: () => server.halt(), end: () => server.resume() }
 */
export interface StorageOutage {
  /** Takes the storage away. */
  begin(): Promise<void>
  /** Brings it back; resolves once the stores can use it again. */
  end(): Promise<void>
}

/** What a request does with the store. */
export type Step<T> = (store: PendingLoginStore, req: IncomingMessage, res: ServerResponse) => Promise<T> | T

// As long as the strategy waits for a store by default.
const NOT_IN_TIME = `did not settle within ${DEFAULT_TIMEOUT_MS / 1000} seconds`

const PAGES = {
  start: { path: '/auth/social-login', headers: sameOriginNavigation },
  callback: { path: '/auth/social-login/callback?auth_key=a-key', headers: providerNavigation },
}

const noWait = async (): Promise<void> => {}

/** The application of a check, whose requests use the stores of two processes in turn, and its browsers. */
export class Deployment {
  readonly clock = new Clock()
  readonly #jobs = new Map<string, (req: IncomingMessage, res: ServerResponse, failure: unknown) => Promise<void>>()
  #server: Server | undefined
  #origin = ''
  #visits = 0

  constructor(
    private readonly stores: readonly [PendingLoginStore, PendingLoginStore],
    readonly options: PendingLoginStoreCheck,
  ) {}

  async start(): Promise<void> {
    const { middleware = (_req, _res, next) => next() } = this.options
    const listener = (req: IncomingMessage, res: ServerResponse): void => {
      // Express does so, too.
      Object.assign(req, { res })
      const next = async (failure?: unknown): Promise<void> => {
        await this.#jobs.get(String(req.headers['x-visit']))?.(req, res, failure)
        res.end()
      }
      const run = async (): Promise<unknown> => Reflect.apply(middleware, undefined, [req, res, next])
      void run().catch(next)
    }
    ;[this.#server, this.#origin] = await listen(listener, '127.0.0.1', 0)
  }

  async stop(): Promise<void> {
    if (this.#server) await shutDown(this.#server)
  }

  newBrowser(): CookieBrowser {
    return new CookieBrowser(this.clock)
  }

  /** @param arrived what to wait for before the store is used */
  save(browser: CookieBrowser, record: PendingLogin, process = 0, arrived = noWait): Promise<void> {
    return this.visit(process, browser, 'start', async (store, req) => {
      await arrived()
      return store.save(req, record)
    })
  }

  /** @param arrived what to wait for before the store is used */
  load(browser: CookieBrowser, process = 0, arrived = noWait): Promise<PendingLogin | undefined> {
    return this.visit(process, browser, 'callback', async (store, req) => {
      await arrived()
      return store.load(req)
    })
  }

  /**
   * A callback: loads the record, and consumes it.
   * @param loaded what to wait for between the two
   */
  consume(browser: CookieBrowser, process = 0, loaded = noWait): Promise<boolean | void> {
    return this.visit(process, browser, 'callback', async (store, req) => {
      const record = await store.load(req)
      await loaded()
      return record && !record.consumed ? store.consume(req, record) : false
    })
  }

  /**
   * Sends a request of a browser, in which the store of a process is used: an even or an odd one.
   * @returns the result of the step, after the response has ended
   * @throws what the step or the middleware throws, or {@link Unsettled}
   */
  async visit<T>(process: number, browser: CookieBrowser, page: keyof typeof PAGES, step: Step<T>): Promise<T> {
    this.#visits += 1
    const visit = String(this.#visits)
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    this.#jobs.set(visit, async (req, res, failure) => {
      try {
        if (failure) throw failure
        outcome = { value: await step(this.stores[process % 2 === 0 ? 0 : 1], req, res) }
      } catch (error) {
        outcome = { error }
      }
    })
    browser.receive(await this.#send(browser.header, page, visit))
    if (!outcome) throw new Error('the middleware answered the request itself')
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  /** @returns the `Set-Cookie` headers of the response */
  async #send(cookie: string, page: keyof typeof PAGES, visit: string): Promise<string[]> {
    const { path, headers: navigation } = PAGES[page]
    const signal = AbortSignal.timeout(DEFAULT_TIMEOUT_MS)
    const headers = { ...navigation, 'x-visit': visit, ...(cookie && { cookie }) }
    try {
      const sent = request(this.#origin + path, { headers, agent: false, signal }).end()
      const [response]: IncomingMessage[] = await once(sent, 'response')
      await once(response?.resume() ?? sent, 'end')
      return response?.headers['set-cookie'] ?? []
    } catch (error) {
      throw signal.aborted ? new Unsettled(`it ${NOT_IN_TIME}`) : error
    }
  }
}

class Unsettled extends Error {}

// Each of these throws an error that says what was seen instead.

export async function mustReject(method: string, call: Promise<unknown>): Promise<void> {
  const seen = await call.then(
    (value) => `${method} resolved to ${show(value)}`,
    (error: unknown) => (error instanceof Unsettled ? `${method} ${NOT_IN_TIME}` : undefined),
  )
  if (seen !== undefined) throw new Error(seen)
}

export async function mustFind(
  deployment: Deployment,
  browser: CookieBrowser,
  saved: PendingLogin,
  process = 0,
  arrived?: () => Promise<void>,
): Promise<void> {
  const found = await deployment.load(browser, process, arrived)
  if (!found) throw new Error(`load resolved to ${show(found)}${process % 2 === 1 ? ' in the other process' : ''}`)
  if (found.id !== saved.id) throw new Error('load resolved to another login')
  if (found.consumed) throw new Error('load resolved to a consumed login')
  for (const [field, value] of Object.entries(saved)) {
    const now: unknown = Reflect.get(found, field)
    if (!isDeepStrictEqual(now, value)) throw new Error(`${field} was ${show(value)} and was loaded as ${show(now)}`)
  }
}

export async function mustFindNothing(
  deployment: Deployment,
  browser: CookieBrowser,
  who: string,
  process = 0,
): Promise<void> {
  const found = await deployment.load(browser, process)
  if (found !== undefined) throw new Error(`${who} found ${show(found)}`)
}

export async function mustBeConsumed(deployment: Deployment, browser: CookieBrowser): Promise<void> {
  for (const process of [0, 1]) {
    const found = await deployment.load(browser, process)
    if (found && !found.consumed) throw new Error('load resolved to a login without `consumed: true`')
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)} …` : text
}
