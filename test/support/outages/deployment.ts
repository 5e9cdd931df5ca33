import { type Application, FakeProvider } from '../../../lib/testing'
import { temporaryFolder } from '../example/example-app'
import { providerEnvironment } from '../example/visitor'
import { freePort } from '../free-port'
import { type PostgresCluster, startPostgres } from '../postgres/postgres'
import { TCPProxy } from '../tcp-proxy'
import { Balancer } from './balancer'
import { ExampleProcess } from './example-process'

export interface DeploymentOptions {
  /** Processes of the example. Default: 2. */
  readonly processes?: number
  /** Without Postgres the processes share a libsql file. Default: true. */
  readonly postgres?: boolean
}

const PEOPLE = 500

/** A Postgres, the URL of the example's database, and what is between it and the processes. */
interface DeployedPostgres {
  readonly cluster: PostgresCluster
  readonly url: string
  readonly proxy: TCPProxy
}

/** For trials of outages: a typical deployment of the example, processes behind a balancer, one database, one provider. */
export class Deployment {
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
    private readonly deployed: DeployedPostgres | undefined,
  ) {}

  static async start({ processes = 2, postgres = true }: DeploymentOptions = {}) {
    const balancer = await Balancer.start()
    const { provider, proxy } = await startProvider()
    const redirectURL = `${balancer.url}/auth/social-login/callback`
    const application = provider.registerApplication({ name: 'Example', redirectURL })
    const deployed = postgres ? await deployPostgres() : undefined
    const made = new Deployment(balancer, provider, proxy, application, temporaryFolder(), deployed)
    for (let count = 0; count < processes; count += 1) await made.add()
    return made
  }

  get url(): string {
    return this.balancer.url
  }

  get postgres(): DeployedPostgres {
    if (!this.deployed) throw new Error('This deployment has no Postgres')
    return this.deployed
  }

  /** For reading the database; undefined for a libsql file. */
  get databaseURL(): string | undefined {
    return this.deployed?.url
  }

  /** Starts another process and adds it to the balancer. */
  async add(environment: Readonly<Record<string, string>> = {}, preload: string[] = []): Promise<ExampleProcess> {
    const { url, proxy } = this.deployed ?? {}
    const storage = url && Object.assign(new URL(url), { port: String(proxy?.port) }).href
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
    this.deployed?.cluster.thaw()
    await Promise.all(this.everyProcess.map((each) => each.kill()))
    await this.balancer.stop()
    await this.deployed?.proxy.stop()
    await this.deployed?.cluster.stop()
    await this.providerProxy.stop()
    await this.provider.stop()
    this.folder.remove()
  }
}

async function deployPostgres(): Promise<DeployedPostgres> {
  const cluster = await startPostgres()
  const url = await cluster.createDatabase('example')
  return { cluster, url, proxy: await TCPProxy.start(Number(new URL(url).port)) }
}

async function startProvider(): Promise<{ provider: FakeProvider; proxy: TCPProxy }> {
  const users = Array.from({ length: PEOPLE }, (_, index) => ({ user_id: index + 1, user_name: `person-${index + 1}` }))
  const port = await freePort()
  const proxy = await TCPProxy.start(port)
  const origin = `http://127.0.0.1:${proxy.port}`
  return { provider: await FakeProvider.start({ port, origin, users, rateLimit: Number.POSITIVE_INFINITY }), proxy }
}
