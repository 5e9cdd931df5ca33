import { setTimeout as sleep } from 'node:timers/promises'

// Few enough that one statement takes some milliseconds: those on a file stop this process meanwhile.
const BATCH_SIZE = 500
const PAUSE_MS = 5

/** A row as both databases give it; `text` and `number` read it. */
export type Row = Readonly<Record<string, unknown>>

/** What a statement may be given. */
export type Value = string | number | null

/** Runs one statement with `$1`, `$2` … in it. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>

/**
 * The one place that sessions, accounts and rate limits live in: a file, or a Postgres that several processes share.
 * The SQL of this application is valid in SQLite and Postgres alike, but for one statement: see `Accounts.signIn`.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  /**
   * SQL for the time, in milliseconds since 1970. What ends by the clock ends by this one: the clock of one process
   * may be wrong, and must not sign out everybody.
   */
  readonly now: string
  /** SQL at the end of a `select` of rows to be deleted: leaves out those that another process deletes already. */
  readonly skipLocked: string
  readonly query: Query
  /** All or nothing, whatever kills the process. With `alone`, no other process is in a transaction `alone` meanwhile. */
  transaction<T>(work: (query: Query) => Promise<T>, options?: { readonly alone?: boolean }): Promise<T>
  /** @throws an error when what is written now would be lost, without waiting for anybody to write something */
  checkStorage(): Promise<void>
  /** Ends within seconds, whether or not the database answers. */
  close(): Promise<void>
}

export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`The column ${column} should hold text`)
  return value
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column)
}

/** Postgres gives its bigints as text. */
export function number(row: Row, column: string): number {
  return Number(row[column])
}

/** Deletes so many rows at a time until there are none left. Between two batches, others have their turn. */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(BATCH_SIZE)) === BATCH_SIZE) await sleep(PAUSE_MS)
}
