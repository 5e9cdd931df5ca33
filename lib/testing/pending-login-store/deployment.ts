import type { PendingLogin, PendingLoginStore } from '../../login/pending-login'
import { Clock } from '../clock'
import { CookieBrowser } from '../cookie-browser'
import type { PendingLoginStoreCheck } from './options'
import { StoreProcess } from './store-process'

const noWait = async (): Promise<void> => {}

/** The two processes and the browsers of a check. */
export class Deployment {
  readonly clock = new Clock()
  readonly #processes: readonly [StoreProcess, StoreProcess]

  private constructor(
    processes: readonly [StoreProcess, StoreProcess],
    readonly options: PendingLoginStoreCheck,
  ) {
    this.#processes = processes
  }

  static async start(
    makeStore: () => PendingLoginStore | Promise<PendingLoginStore>,
    options: PendingLoginStoreCheck,
  ): Promise<Deployment> {
    const { middleware = (_req, _res, next) => next() } = options
    const [first, second] = [await makeStore(), await makeStore()]
    const processes = [
      await StoreProcess.start(first, middleware),
      await StoreProcess.start(second, middleware),
    ] as const
    return new Deployment(processes, options)
  }

  /** The process for a number: they take turns. */
  process(number: number): StoreProcess {
    return number % 2 === 0 ? this.#processes[0] : this.#processes[1]
  }

  newBrowser(): CookieBrowser {
    return new CookieBrowser(this.clock)
  }

  /** @param arrived what to wait for before the store is used */
  save(browser: CookieBrowser, record: PendingLogin, process = 0, arrived = noWait): Promise<void> {
    return this.process(process).visit(browser, 'start', async (store, req) => {
      await arrived()
      return store.save(req, record)
    })
  }

  /** @param arrived what to wait for before the store is used */
  load(browser: CookieBrowser, process = 0, arrived = noWait): Promise<PendingLogin | undefined> {
    return this.process(process).visit(browser, 'callback', async (store, req) => {
      await arrived()
      return store.load(req)
    })
  }

  /**
   * A callback: loads the record, and consumes it.
   *
   * @param loaded what to wait for between the two
   */
  consume(browser: CookieBrowser, process = 0, loaded = noWait): Promise<boolean | void> {
    return this.process(process).visit(browser, 'callback', async (store, req) => {
      const record = await store.load(req)
      await loaded()
      return record && !record.consumed ? store.consume(req, record) : false
    })
  }

  remove(browser: CookieBrowser, process = 0): Promise<void> {
    return this.process(process).visit(browser, 'callback', (store, req) => store.remove(req))
  }

  async stop(): Promise<void> {
    for (const process of this.#processes) await process.stop()
  }
}
