import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import type { Database, Query, Row, Value } from './database'

/** Opens `app.db` in a folder. Several processes of one machine may share it: each waits for the lock of the others. */
export function openLibsql(dataDir: string): Database {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const file = join(dataDir, 'app.db')
  // A folder that was there already may be open to others. SQLite gives its further files the rights of this one.
  closeSync(openSync(file, 'a', 0o600))
  return new LibsqlDatabase(file)
}

class LibsqlDatabase implements Database {
  readonly #connection: Libsql.Database
  readonly #statements = new Map<string, Libsql.Statement<unknown[]>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.#connection = new Libsql(file, { timeout: 10_000 })
    this.#connection.exec('pragma journal_mode = wal')
    // Without a disk flush for each commit, which stops everybody on a busy disk: a killed process loses nothing by it,
    // a machine that loses its power at most the last moments.
    this.#connection.exec('pragma synchronous = normal')
  }

  readonly query: Query = (sql, values = []) => this.#inTurn(async () => this.#run(sql, values))

  // `begin immediate` takes the lock that keeps every other writer out, so each transaction is alone anyway.
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      this.#run('begin immediate', [])
      try {
        const result = await work(async (sql, values = []) => this.#run(sql, values))
        this.#run('commit', [])
        return result
      } catch (error) {
        if (this.#connection.inTransaction) this.#run('rollback', [])
        throw error
      }
    })
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => this.#connection.close())
  }

  // There is one connection: what is not part of a transaction must not slip into it.
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  #run(sql: string, values: readonly Value[]): Row[] {
    const statement = this.#prepare(sql)
    if (statement.reader) return statement.all(...values).filter(isRow)
    statement.run(...values)
    return []
  }

  #prepare(sql: string): Libsql.Statement<unknown[]> {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql.replace(/\$(\d)/g, '?$1'))
    this.#statements.set(sql, statement)
    return statement
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
