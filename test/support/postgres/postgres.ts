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
/** The folder of `initdb` and `postgres`; undefined if not installed. */
export const postgresBinaries = binaries
const isRequired = process.env['REQUIRE_POSTGRES'] === '1'

if (binaries === undefined && !isRequired) {
  console.log(
    'Postgres tests are skipped: there is no initdb in /usr/lib/postgresql (POSTGRES_BIN names another folder).',
  )
}

/** `describe` if Postgres is installed or required (REQUIRE_POSTGRES=1); else `describe.skip`. */
export const describeWithPostgres: jest.Describe = binaries !== undefined || isRequired ? describe : describe.skip

/** A Postgres server of our own in a temporary folder. */
export interface PostgresCluster {
  /** Creates a database. @returns its URL */
  createDatabase(name: string): Promise<string>
  /** The same database, by the server's Unix socket. */
  bySocket(url: string): string
  /** Stops the server until `resume`. */
  halt(): Promise<void>
  /** Starts it again, at the same address. */
  resume(): Promise<void>
  /** Suspends all of its processes: connections stay open, nothing responds. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
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
    'max_connections=60',
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const program = join(binaries, 'postgres')
  const startServer = (): ChildProcess =>
    spawn(program, ['-D', data, '-p', String(port), ...flags], { ...options, stdio: 'ignore' })
  let server = startServer()
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`
  await untilItAnswers(urlOf('postgres'), server)
  return {
    async createDatabase(name) {
      await run(urlOf('postgres'), `create database "${name}"`)
      return urlOf(name)
    },
    bySocket: (url) => url.replace('127.0.0.1', encodeURIComponent(folder)),
    halt: () => ended(server, 'SIGINT'),
    async resume() {
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

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function untilItAnswers(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    try {
      return await run(url, 'select 1')
    } catch (error) {
      if (server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** The server, and one process for each connection. */
function signalAll({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(pid, signal)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  for (const child of children.map(Number).filter(Boolean)) signalIfAlive(child, signal)
}

/** A connection may end, and its process with it, between the reading of the list and the signal. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // Not `instanceof`: jest's tests have an Error of their own, which Node's errors are not made of.
    if (!(types.isNativeError(error) && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null) return resolve()
    server.once('close', () => resolve())
    server.kill(signal)
  })
}

/** Postgres refuses to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
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
