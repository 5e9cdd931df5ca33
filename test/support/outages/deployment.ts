import { type Application, FakeProvider } from '../../../lib/testing'
import { temporaryFolder } from '../example/example-app'
import { providerEnvironment } from '../example/visitor'
import { freePort } from '../free-port'
import { Balancer } from './balancer'
import { ExampleProcess } from './example-process'
import { PostgresServer } from './postgres-server'
import { StatementCounter } from './statement-counter'
import { TCPProxy } from './tcp-proxy'

export interface DeploymentOptions {
  /** Processes of the example. Default: 2. */
  readonly processes?: number
  /** Without Postgres the processes share a libsql file. Default: true. */
  readonly postgres?: boolean
  /** Modules that every process loads first. */
  readonly preload?: readonly string[]
}

const PEOPLE = 500

/** A typical deployment of the example: processes behind a balancer, one database, one provider. */
export class Deployment {
  readonly statements = new StatementCounter()
  /** All processes ever started. */
  readonly everyProcess: ExampleProcess[] = []
  /** The running processes. */
  processes: ExampleProcess[] = []

  private constructor(
    readonly balancer: Balancer,
    readonly provider: FakeProvider,
    /** Between the processes and the provider. */
    readonly providerProxy: TCPProxy,
    readonly application: Application,
    readonly folder: ReturnType<typeof temporaryFolder>,
    private readonly preload: readonly string[],
  ) {}

  #postgres: PostgresServer | undefined
  #postgresProxy: TCPProxy | undefined

  static async start({ processes = 2, postgres = true, preload = [] }: DeploymentOptions = {}) {
    const balancer = await Balancer.start()
    const { provider, proxy } = await startProvider()
    const redirectURL = `${balancer.url}/auth/social-login/callback`
    const application = provider.registerApplication({ name: 'Example', redirectURL })
    const made = new Deployment(balancer, provider, proxy, application, temporaryFolder(), preload)
    if (postgres) await made.#startPostgres()
    for (let count = 0; count < processes; count += 1) await made.add()
    return made
  }

  async #startPostgres(): Promise<void> {
    this.#postgres = await PostgresServer.start()
    this.#postgresProxy = await TCPProxy.start(this.#postgres.port, this.statements.observe)
  }

  get url(): string {
    return this.balancer.url
  }

  get postgres(): PostgresServer {
    if (!this.#postgres) throw new Error('This deployment has no Postgres')
    return this.#postgres
  }

  /** Between the processes and Postgres. */
  get postgresProxy(): TCPProxy {
    if (!this.#postgresProxy) throw new Error('This deployment has no Postgres')
    return this.#postgresProxy
  }

  get hasPostgres(): boolean {
    return this.#postgres !== undefined
  }

  /** Starts another process and adds it to the balancer. */
  async add(environment: Readonly<Record<string, string>> = {}, preload = this.preload): Promise<ExampleProcess> {
    const storage = this.#postgres && this.#postgresProxy && this.#postgres.urlAt(this.#postgresProxy.port)
    const started = await ExampleProcess.start(
      {
        SESSION_SECRET: 'a secret of sixteen or more',
        DATA_DIR: this.folder.path,
        ...(storage !== undefined && { DATABASE_URL: storage }),
        ...providerEnvironment(this.provider, this.application),
        ...environment,
      },
      preload,
    )
    this.everyProcess.push(started)
    this.processes.push(started)
    this.balancer.add(started.port)
    return started
  }

  /** Stops a process as a deployment does: the balancer notices it by `/healthz`. @returns the seconds that it took */
  async terminate(ending: ExampleProcess): Promise<number> {
    this.processes = this.processes.filter((other) => other !== ending)
    const seconds = await ending.terminate()
    this.balancer.remove(ending.port)
    return seconds
  }

  async kill(ending: ExampleProcess): Promise<void> {
    this.processes = this.processes.filter((other) => other !== ending)
    await ending.kill()
    this.balancer.remove(ending.port)
  }

  get crashes(): number {
    return this.everyProcess.filter(({ hasCrashed }) => hasCrashed).length
  }

  async stop(): Promise<void> {
    this.#postgres?.thaw()
    await Promise.all(this.everyProcess.map((each) => each.kill()))
    await this.balancer.stop()
    await this.#postgresProxy?.stop()
    await this.#postgres?.stop()
    await this.providerProxy.stop()
    await this.provider.stop()
    this.folder.remove()
  }
}

async function startProvider(): Promise<{ provider: FakeProvider; proxy: TCPProxy }> {
  const users = Array.from({ length: PEOPLE }, (_, index) => ({ user_id: index + 1, user_name: `person-${index + 1}` }))
  const port = await freePort()
  const proxy = await TCPProxy.start(port)
  const origin = `http://127.0.0.1:${proxy.port}`
  return { provider: await FakeProvider.start({ port, origin, users, rateLimit: Number.POSITIVE_INFINITY }), proxy }
}
