import { randomUUID } from 'node:crypto'
import { type Database, inBatches, number, optionalText, type Query, type Row, text, type Value } from './database'

// Limited because every request reads all logins of the signed-in account.
const MAX_LOGINS = 10
const UNCONFIRMED_LIFETIME_MS = 24 * 60 * 60 * 1000

/** The data about a person that pages show. */
export interface Person {
  readonly displayName: string
  readonly username?: string | undefined
  readonly email?: string | undefined
  readonly picture?: string | undefined
  readonly cover?: string | undefined
  readonly gender?: string | undefined
  readonly birthday?: string | undefined
  readonly badge?: boolean | undefined
}

/** What the provider returned when the person last signed in. */
export interface LoginInput {
  /** Identifies the login together with `subject`. Not the e-mail address: it may belong to someone else later. */
  readonly provider: string
  readonly subject: string
  readonly person: Person
  readonly sealedToken: string
}

/** A login at the provider: a row of `federated_credentials`. */
export interface Login extends LoginInput {
  readonly id: string
  /** The account that it signs in to. Undefined after "Not me". */
  readonly userID: string | undefined
  readonly usedAt: number
}

/** A login with the account that it signs in to. */
interface OpenedLogin {
  readonly login: Login
  readonly userID: string
  /** Whether a person has ever confirmed that the account is theirs. */
  readonly isConfirmed: boolean
}

/** Accounts and the logins that can sign in to them. */
export class Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Stores a login without signing in to an account. */
  async recordLogin(input: LoginInput): Promise<Login> {
    return toLogin(await recordLogin(this.#database, input))
  }

  /**
   * Stores a login and returns its account. If there is none, creates one, which is unconfirmed until a person says that
   * it is theirs. Simultaneous calls for the same login get the same account.
   */
  async signIn(input: LoginInput): Promise<OpenedLogin> {
    const newID = randomUUID()
    const row = await upsertAndOpen(this.#database, input, newID)
    const [login, userID] = [toLogin(row), text(row, 'user_id')]
    const isConfirmed = number(row, 'is_unconfirmed') === 0
    // Restarts the time that the person has to answer. A separate statement, because `release` locks the account's row
    // before the login's: locking them here in the opposite order could deadlock.
    const askAgain = `update users set unconfirmed_since = ${this.#database.now} where id = $1 and unconfirmed_since is not null`
    if (!isConfirmed && userID !== newID) await this.#database.query(askAgain, [userID])
    return { login, userID, isConfirmed }
  }

  async findLogin(id: string): Promise<Login | undefined> {
    const [row] = await this.#database.query('select * from federated_credentials where id = $1', [id])
    return row && toLogin(row)
  }

  async updatePerson(loginID: string, person: Person): Promise<void> {
    const sql = 'update federated_credentials set person = $2 where id = $1'
    await this.#database.query(sql, [loginID, inASCII(person)])
  }

  /** Marks an account as confirmed. False when the login does not belong to the account any more. */
  async confirm(loginID: string, userID: string): Promise<boolean> {
    const sql = `update users set unconfirmed_since = null where id = $2
      and exists (select 1 from federated_credentials where id = $1 and user_id = $2) returning id`
    return (await this.#database.query(sql, [loginID, userID])).length > 0
  }

  /** Deletes an account that nobody has confirmed and detaches its login. Does nothing to a confirmed account. */
  async release(userID: string): Promise<void> {
    await this.#database.transaction((query) => endUnconfirmed(query, 'id = $1', [userID]))
  }

  /** Adds a login to an account. `taken`: the login belongs to another account that was confirmed. */
  link(loginID: string, userID: string): Promise<'linked' | 'taken' | 'too_many_logins'> {
    return this.#database.transaction(async (query) => {
      await lockAccount(query, userID)
      const count = 'select count(*) as logins from federated_credentials where user_id = $1 and id <> $2'
      const [row] = await query(count, [userID, loginID])
      if (row && number(row, 'logins') >= MAX_LOGINS) return 'too_many_logins'
      const other = 'id = (select user_id from federated_credentials where id = $1 and user_id <> $2)'
      await endUnconfirmed(query, other, [loginID, userID])
      const sql = `update federated_credentials set user_id = $2
        where id = $1 and (user_id is null or user_id = $2) returning id`
      return (await query(sql, [loginID, userID])).length > 0 ? 'linked' : 'taken'
    })
  }

  /**
   * Removes a login from an account, unless none of these providers would remain: only by theirs can anybody sign in.
   *
   * @returns whether the account is without it now
   */
  async unlink(loginID: string, userID: string, providers: readonly string[]): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      await lockAccount(query, userID)
      const list = providers.map((_provider, index) => `$${index + 3}`).join(', ')
      const sql = `delete from federated_credentials where id = $1 and user_id = $2 and exists (
        select 1 from federated_credentials where user_id = $2 and id <> $1 and provider in (${list}))`
      await query(sql, [loginID, userID, ...providers])
      return (
        (await query('select id from federated_credentials where id = $1 and user_id = $2', [loginID, userID]))
          .length === 0
      )
    })
  }

  /** The logins of an account, the most recently used first. */
  async loginsOf(userID: string): Promise<Login[]> {
    const sql = 'select * from federated_credentials where user_id = $1 order by used_at desc, id'
    return (await this.#database.query(sql, [userID])).map(toLogin)
  }
}

/** Locks the account's row, so that of two simultaneous changes of its logins the second sees the result of the first. */
async function lockAccount(query: Query, userID: string): Promise<void> {
  await query('update users set created_at = created_at where id = $1', [userID])
}

export function toLogin(row: Row): Login {
  return {
    id: text(row, 'id'),
    provider: text(row, 'provider'),
    subject: text(row, 'subject'),
    userID: optionalText(row, 'user_id'),
    person: JSON.parse(text(row, 'person')),
    sealedToken: text(row, 'sealed_token'),
    usedAt: number(row, 'used_at'),
  }
}

/** Inserts or updates a login. @returns its row, with the column `is_unconfirmed` about its account */
export async function recordLogin(database: Database, input: LoginInput): Promise<Row> {
  return requireRow((await database.query(upsertSQL(database), valuesOf(input, null)))[0])
}

/**
 * Inserts or updates a login and, if it has no account, creates the account `newID` in the same transaction. Postgres may
 * be far away, so it gets a single statement, which finds its own account when it is repeated. SQLite does not support
 * that statement, but has no network latency.
 */
async function upsertAndOpen(database: Database, input: LoginInput, newID: string): Promise<Row> {
  const insert = 'insert into users (id, created_at, unconfirmed_since)'
  const values = valuesOf(input, newID)
  if (database.dialect === 'postgres') {
    const sql = `with login as (${upsertSQL(database)}),
      account as (${insert} select user_id, used_at, used_at from login where user_id = $6 on conflict (id) do nothing)
      select * from login`
    return requireRow((await database.query(sql, values))[0])
  }
  return database.transaction(async (query) => {
    const login = requireRow((await query(upsertSQL(database), values))[0])
    const [userID, usedAt] = [text(login, 'user_id'), number(login, 'used_at')]
    if (userID === newID) await query(`${insert} values ($1, $2, $2)`, [userID, usedAt])
    return login
  })
}

/** An account that is being created at this moment is not visible to the statement, and is reported as unconfirmed. */
function upsertSQL({ now }: Database): string {
  return `insert into federated_credentials (id, provider, subject, person, sealed_token, user_id, used_at)
    values ($1, $2, $3, $4, $5, $6, ${now})
    on conflict (provider, subject) do update set person = $4, sealed_token = $5, used_at = ${now},
      user_id = coalesce(federated_credentials.user_id, $6)
    returning *, coalesce((select case when unconfirmed_since is null then 0 else 1 end
      from users where users.id = user_id), 1) as is_unconfirmed`
}

function valuesOf({ provider, subject, person, sealedToken }: LoginInput, userID: string | null): Value[] {
  return [randomUUID(), provider, subject, inASCII(person), sealedToken, userID]
}

/** JSON whose other letters are escaped: a Postgres whose encoding is not UTF-8 lacks most of them, and would refuse the login. */
function inASCII(person: Person): string {
  const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(person).replace(/[^ -~]/g, escapeUnit)
}

function requireRow(row: Row | undefined): Row {
  if (!row) throw new Error('The database returned no login')
  return row
}

/** Deletes the accounts that nobody confirmed within a day, and the logins that have had no account for a day. */
export async function deleteUnconfirmed(database: Database): Promise<void> {
  const limit = `${database.now} - ${UNCONFIRMED_LIFETIME_MS}`
  await inBatches(async (size) => {
    const some = `select id from users where unconfirmed_since < ${limit} limit ${size} ${database.skipLocked}`
    return database.transaction((query) => endUnconfirmed(query, `id in (${some})`, []))
  })
  await inBatches(async (size) => {
    const some = `select id from federated_credentials
      where user_id is null and used_at < ${limit} limit ${size} ${database.skipLocked}`
    const sql = `delete from federated_credentials where id in (${some}) and user_id is null returning id`
    return (await database.query(sql)).length
  })
}

/**
 * Deletes the unconfirmed accounts among those that match the condition. Their rows are locked before their logins are
 * detached, so that nobody can confirm one in between.
 *
 * @returns the number of deleted accounts
 */
async function endUnconfirmed(query: Query, condition: string, values: readonly Value[]): Promise<number> {
  const lock = `update users set created_at = created_at where ${condition} and unconfirmed_since is not null returning id`
  const ids = (await query(lock, values)).map((row) => text(row, 'id'))
  if (ids.length === 0) return 0
  const list = ids.map((_id, index) => `$${index + 1}`).join(', ')
  await query(`update federated_credentials set user_id = null where user_id in (${list})`, ids)
  await query(`delete from users where id in (${list})`, ids)
  return ids.length
}
