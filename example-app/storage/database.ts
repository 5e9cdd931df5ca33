import { setTimeout as sleep } from 'node:timers/promises'

// A batch is small enough to take a few milliseconds: statements on a file block this process.
const BATCH_SIZE = 500
const PAUSE_MS = 5

/** Changes nothing, but fails in a database that is read-only, and waits for one that is locked. */
export const WRITE_NOTHING = `insert into users (id, created_at) select 'nobody', 0 where false`

/** A row as either database returns it. Read its columns with `text`, `optionalText` and `number`. */
export type Row = Readonly<Record<string, unknown>>

/** A parameter of a statement. */
export type Value = string | number | null

/** Runs one statement, whose parameters are written `$1`, `$2` and so on. */
export type Query = (sql: string, values?: readonly Value[]) => Promise<Row[]>

/**
 * Stores sessions, accounts and rate limits: in a libsql file, or in a Postgres database that several machines share.
 * All SQL of this application is valid in both.
 */
export interface Database {
  /**
   * An SQL expression for the current time in milliseconds since 1970. Sessions and questions are compared with this
   * clock, because the clock of a single process may be wrong and must not sign everyone out.
   */
  readonly now: string
  /** SQL at the end of a `select` of rows to delete: skips the rows that another process is deleting. */
  readonly skipLocked: string
  /** A statement must be safe to repeat: it may have been executed before its connection broke. */
  readonly query: Query
  /** Runs a transaction, which must be safe to repeat, too. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Runs a transaction that excludes the migrations of other processes, however long it waits for them. */
  migration<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** @throws DatabaseUnavailableError when the database cannot store data at this moment */
  check(): Promise<void>
  /** Ends within seconds, whether or not the database answers. */
  close(): Promise<void>
}

/** The database cannot be used at this moment, but may be usable again later. */
export class DatabaseUnavailableError extends Error {
  constructor(cause: unknown) {
    super(`The database cannot be used at the moment (${reasonOf(cause)})`, { cause })
    this.name = 'DatabaseUnavailableError'
  }
}

/** The code of an error from a driver or the system. Their messages may contain an address with a password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (error instanceof Error && 'code' in error && error.code) return String(error.code)
  return error instanceof Error ? error.name : 'unknown error'
}

export function text(row: Row | undefined, column: string): string {
  const value = row?.[column]
  if (typeof value !== 'string') throw new TypeError(`The column ${column} should hold text`)
  return value
}

/** The Postgres driver returns bigint columns as text. */
export function number(row: Row, column: string): number {
  return Number(row[column])
}

/** Deletes rows in batches until none are left. The pauses let other work run in between. */
export async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(BATCH_SIZE)) === BATCH_SIZE) await sleep(PAUSE_MS)
}
