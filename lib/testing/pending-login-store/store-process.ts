import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { PendingLoginStore } from '../../login/pending-login'
import type { CookieBrowser } from '../cookie-browser'
import { providerNavigation, sameOriginNavigation } from '../navigation'
import type { PendingLoginStoreCheck } from './options'

type Middleware = NonNullable<PendingLoginStoreCheck['middleware']>

/** What a request does with the store. */
export type Step<T> = (store: PendingLoginStore, req: IncomingMessage, res: ServerResponse) => Promise<T> | T

type Job = (req: IncomingMessage, res: ServerResponse, failure: unknown) => Promise<void>

// As long as the strategy waits for a store by default.
const LIMIT_SECONDS = 10

/** A request has taken too long. */
export class Unsettled extends Error {
  constructor() {
    super(`it did not settle within ${LIMIT_SECONDS} seconds`)
  }
}

const PAGES = {
  start: { path: '/auth/social-login', headers: sameOriginNavigation },
  callback: { path: '/auth/social-login/callback?auth_key=a-key', headers: providerNavigation },
}

/** One process of an application: a server with a store of its own. */
export class StoreProcess {
  readonly #store: PendingLoginStore
  readonly #server: Server
  readonly #jobs = new Map<string, Job>()
  #visits = 0

  private constructor(store: PendingLoginStore, middleware: Middleware) {
    this.#store = store
    this.#server = createServer((req, res) => {
      // As Express does.
      Object.assign(req, { res })
      const next = (failure?: unknown): void => void this.#answer(req, res, failure)
      const run = async (): Promise<unknown> => Reflect.apply(middleware, undefined, [req, res, next])
      void run().catch(next)
    })
  }

  static async start(store: PendingLoginStore, middleware: Middleware): Promise<StoreProcess> {
    const started = new StoreProcess(store, middleware)
    started.#server.listen(0, '127.0.0.1')
    await once(started.#server, 'listening')
    return started
  }

  /**
   * Sends a request of a browser, in which the store is used.
   *
   * @returns the result of the step, after the response has ended
   * @throws what the step or the middleware throws, or an error when the request takes too long
   */
  async visit<T>(browser: CookieBrowser, page: keyof typeof PAGES, step: Step<T>): Promise<T> {
    this.#visits += 1
    const visit = String(this.#visits)
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    this.#jobs.set(visit, async (req, res, failure) => {
      try {
        if (failure) throw failure
        outcome = { value: await step(this.#store, req, res) }
      } catch (error) {
        outcome = { error }
      }
    })
    browser.receive(await this.#send(browser.header, page, visit))
    if (!outcome) throw new Error('the middleware answered the request itself')
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  async #answer(req: IncomingMessage, res: ServerResponse, failure: unknown): Promise<void> {
    await this.#jobs.get(String(req.headers['x-visit']))?.(req, res, failure)
    res.end()
  }

  /** @returns the `Set-Cookie` headers of the response */
  async #send(cookie: string, page: keyof typeof PAGES, visit: string): Promise<string[]> {
    const address = this.#server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { path, headers } = PAGES[page]
    const signal = AbortSignal.timeout(LIMIT_SECONDS * 1000)
    const all = { ...headers, 'x-visit': visit, ...(cookie && { cookie }) }
    try {
      const sent = request({ host: '127.0.0.1', port, path, headers: all, agent: false, signal }).end()
      const [response]: IncomingMessage[] = await once(sent, 'response')
      await once(response?.resume() ?? sent, 'end')
      return response?.headers['set-cookie'] ?? []
    } catch (error) {
      throw signal.aborted ? new Unsettled() : error
    }
  }
}
