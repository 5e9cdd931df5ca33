import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../free-port'
import { postgresBinaries, unprivilegedUser } from '../postgres/postgres'
import { cpuMs } from './process-usage'

/** A row as the driver returns it. */
type Row = Readonly<Record<string, unknown>>

const DATABASE = 'example'
const MAX_CONNECTIONS = 100

/** A Postgres with a data directory of its own, which can be killed and frozen. */
export class PostgresServer {
  #server: ChildProcess | undefined
  #frozen: number[] = []

  private constructor(
    readonly port: number,
    private readonly binaries: string,
    private readonly folder: string,
  ) {}

  static async start(): Promise<PostgresServer> {
    if (postgresBinaries === undefined) throw new Error('There is no Postgres: install it, or set POSTGRES_BIN')
    const folder = mkdtempSync(join(tmpdir(), 'outage-postgres-'))
    const server = new PostgresServer(await freePort(), postgresBinaries, folder)
    const owner = unprivilegedUser()
    if (owner) chownSync(folder, owner.uid, owner.gid)
    chmodSync(folder, 0o700)
    const init = ['-D', server.#data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    execFileSync(join(postgresBinaries, 'initdb'), init, { ...server.#options(), stdio: 'ignore' })
    await server.up()
    await server.query(`create database ${DATABASE}`, 'postgres')
    return server
  }

  get #data(): string {
    return join(this.folder, 'data')
  }

  #options() {
    return { ...unprivilegedUser(), cwd: this.folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } }
  }

  urlAt(port: number, database = DATABASE): string {
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  /** Starts the server and waits until it answers. */
  async up(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      `max_connections=${MAX_CONNECTIONS}`,
      'shared_buffers=32MB',
      'min_wal_size=32MB',
      'max_wal_size=64MB',
    ]
    const flags = settings.flatMap((setting) => ['-c', setting])
    this.#server = spawn(join(this.binaries, 'postgres'), ['-D', this.#data, '-p', String(this.port), ...flags], {
      ...this.#options(),
      stdio: 'ignore',
    })
    for (;;) {
      try {
        await this.query('select 1', 'postgres')
        return
      } catch (error) {
        if (this.#server.exitCode !== null) throw error
        await sleep(20)
      }
    }
  }

  /** Stops it at once, like `pg_ctl stop -m immediate`: open transactions are aborted. */
  async down(): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null) return
    const closed = new Promise((resolve) => server.once('close', resolve))
    server.kill('SIGQUIT')
    await closed
  }

  async query(sql: string, database = DATABASE): Promise<Row[]> {
    const client = new Client({ connectionString: this.urlAt(this.port, database), application_name: 'harness' })
    // A killed server emits an error event on idle clients.
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Suspends every process of the server: connections stay open, nothing responds. */
  async freeze(): Promise<void> {
    const before = await this.#pids()
    const main = this.#server?.pid
    this.#frozen = main === undefined ? before : [main, ...before]
    for (const pid of this.#frozen) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#frozen.reverse()) signal(pid, 'SIGCONT')
    this.#frozen = []
  }

  /** Ends connections that are in a transaction, or all of the application's. @returns how many */
  async terminate({ inTransaction }: { readonly inTransaction: boolean }): Promise<number> {
    const condition = inTransaction ? 'and xact_start is not null' : ''
    const sql = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${DATABASE}' and application_name <> 'harness' ${condition}`
    return (await this.query(sql)).length
  }

  async setReadOnly(isReadOnly: boolean): Promise<void> {
    // `alter system` writes a file, not the database: it is allowed even while that is read-only.
    await this.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`, 'postgres')
    await this.query('select pg_reload_conf()', 'postgres')
    await this.terminate({ inTransaction: false })
  }

  /** Milliseconds of CPU that the server and all its connections have used so far. */
  async cpuMs(): Promise<number> {
    const pids = [this.#server?.pid ?? 0, ...(await this.#pids())]
    return pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
  }

  async stop(): Promise<void> {
    this.thaw()
    await this.down()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #pids(): Promise<number[]> {
    return (await this.query('select pid from pg_stat_activity', 'postgres')).map((row) => Number(row['pid']))
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended.
  }
}
