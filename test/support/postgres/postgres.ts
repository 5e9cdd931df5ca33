import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { types } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../free-port'

const binaries = [process.env['POSTGRES_BIN'], ...debianFolders()].find(
  (folder) => folder !== undefined && existsSync(join(folder, 'initdb')),
)
const isRequired = process.env['REQUIRE_POSTGRES'] === '1'
/** What tests' own connections are called. */
const HARNESS = 'harness'

if (binaries === undefined && !isRequired) {
  console.log(
    'Postgres tests are skipped: there is no initdb in /usr/lib/postgresql (POSTGRES_BIN names another folder).',
  )
}

/** `describe` if Postgres is installed or required (REQUIRE_POSTGRES=1); else `describe.skip`. */
export const describeWithPostgres: jest.Describe = binaries !== undefined || isRequired ? describe : describe.skip

/** A row as the driver returns it. */
type Row = Readonly<Record<string, unknown>>

/** For tests with a database: a Postgres server of our own in a temporary folder. */
export interface PostgresCluster {
  readonly pid: number
  /** Creates a database. @returns its URL */
  createDatabase(name: string): Promise<string>
  /** The same database, by the server's Unix socket. */
  bySocket(url: string): string
  /** Makes a database read-only, or no longer, and ends its connections, as a failover does. */
  setReadOnly(url: string, isReadOnly: boolean): Promise<void>
  /** Stops the server until `resume`. `SIGQUIT` aborts open transactions, like `pg_ctl stop -m immediate`. */
  halt(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts it again, at the same address, unless it runs. */
  resume(): Promise<void>
  /** Suspends all of its processes: connections stay open, nothing responds. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** Starts a server before the tests of the block, and stops it at its end. @returns what returns it */
export function useCluster(): () => PostgresCluster {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  }, 30_000)
  afterAll(() => cluster.stop())
  return () => cluster
}

export async function startPostgres(): Promise<PostgresCluster> {
  if (binaries === undefined) throw new Error('There is no Postgres: install it, or set POSTGRES_BIN')
  const folder = mkdtempSync(join(tmpdir(), 'example-postgres-'))
  const owner = unprivilegedUser()
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  const data = join(folder, 'data')
  const options = { ...owner, cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } }
  const init = ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  execFileSync(join(binaries, 'initdb'), init, { ...options, stdio: 'ignore' })
  const port = await freePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'max_connections=100',
    'shared_buffers=32MB',
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const program = join(binaries, 'postgres')
  const startServer = (): ChildProcess =>
    spawn(program, ['-D', data, '-p', String(port), ...flags], { ...options, stdio: 'ignore' })
  let server = startServer()
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
  await untilItAnswers(urlOf('postgres'), server)
  return {
    get pid() {
      return server.pid ?? 0
    },
    async createDatabase(name) {
      await queryAt(urlOf('postgres'), `create database "${name}"`)
      return urlOf(name)
    },
    bySocket: (url) => url.replace('127.0.0.1', encodeURIComponent(folder)),
    async setReadOnly(url, isReadOnly) {
      const name = new URL(url).pathname.slice(1)
      await queryAt(urlOf('postgres'), `alter database "${name}" set default_transaction_read_only = ${isReadOnly}`)
      await endConnections(url)
    },
    halt: (signal = 'SIGINT') => ended(server, signal),
    async resume() {
      if (!hasEnded(server)) return
      server = startServer()
      await untilItAnswers(urlOf('postgres'), server)
    },
    freeze: () => signalAll(server, 'SIGSTOP'),
    thaw: () => signalAll(server, 'SIGCONT'),
    async stop() {
      signalAll(server, 'SIGCONT')
      await ended(server, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Connects as the superuser for as long as the work takes. */
export async function asSuperuser<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: HARNESS })
  // A killed server emits an error event on idle clients.
  client.on('error', () => {})
  await client.connect()
  return work(client).finally(() => client.end())
}

export async function queryAt(url: string, sql: string): Promise<Row[]> {
  return asSuperuser(url, async (client) => (await client.query(sql)).rows)
}

/** Ends the connections of applications to a database, or those in a transaction. @returns how many */
export async function endConnections(url: string, condition = 'true'): Promise<number> {
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name <> '${HARNESS}' and ${condition}`
  return (await queryAt(url, sql)).length
}

async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    try {
      return void (await queryAt(url, 'select 1'))
    } catch (error) {
      if (hasEnded(server)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** The server, and one process for each connection. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  if (hasEnded(server)) return
  const { pid = 0 } = server
  process.kill(pid, signal)
  for (const child of childrenOf(pid)) signalIfAlive(child, signal)
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean)
}

/** A connection may end, and its process with it, between the reading of the list and the signal. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // Not `instanceof`: tests in jest have their own Error class, and Node's errors are not instances of it.
    if (!(types.isNativeError(error) && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(server)) return resolve()
    server.once('close', () => resolve())
    server.kill(signal)
  })
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Postgres refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const user = ['postgres', 'nobody'].map((name) => users.find((line) => line.startsWith(`${name}:`))).find(Boolean)
  const [, , uid, gid] = user?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

function debianFolders(): string[] {
  const root = '/usr/lib/postgresql'
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : []
}
