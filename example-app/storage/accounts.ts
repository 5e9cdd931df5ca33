import { randomUUID } from 'node:crypto'
import { type Database, inBatches, number, type Query, type Row, text, WRITE_NOTHING } from './database'

// The number is limited, because every request reads all logins of the signed-in account.
const MAX_LOGINS = 10
const UNCONFIRMED_LIFETIME_MS = 24 * 60 * 60 * 1000

/** The data about a user that pages show. */
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

/** What the provider returned when the user last signed in. */
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
  /** The account that it signs in to, once a user has confirmed that it is theirs. */
  readonly userID: string | undefined
  readonly usedAt: number
}

/** A login with the account that it signs in to. */
interface OpenedLogin {
  readonly login: Login
  readonly userID: string
  /** Whether a user has ever confirmed that the account is theirs. */
  readonly isConfirmed: boolean
}

/** Accounts and the logins that can sign in to them. */
export class Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @throws DatabaseUnavailableError when no login can be stored at this moment: asked before a key is spent */
  async requireWritable(): Promise<void> {
    await this.#database.query(WRITE_NOTHING)
  }

  /** Stores a login without signing in to an account. */
  async recordLogin(input: LoginInput): Promise<Login> {
    return toLogin(await upsertLogin(this.#database, input, null))
  }

  /**
   * Stores a login and returns its account. If there is none, the login gets the id of one, which is unconfirmed until
   * a user says that it is theirs. Simultaneous calls for the same login get the same account.
   */
  async findOrCreate(input: LoginInput): Promise<OpenedLogin> {
    const row = await upsertLogin(this.#database, input, randomUUID())
    const login = toLogin(row)
    const isConfirmed = row['user_id'] !== null
    return { login, userID: text(row, isConfirmed ? 'user_id' : 'unconfirmed_user_id'), isConfirmed }
  }

  async findLogin(id: string): Promise<Login | undefined> {
    const [row] = await this.#database.query('select * from federated_credentials where id = $1', [id])
    return row && toLogin(row)
  }

  async updatePerson(loginID: string, person: Person): Promise<void> {
    const sql = 'update federated_credentials set person = $2 where id = $1'
    await this.#database.query(sql, [loginID, JSON.stringify(person)])
  }

  /** Creates the account, unless it exists. False when the login does not belong to it any more. */
  confirm(loginID: string, userID: string): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const sql = `update federated_credentials
        set user_id = $2, unconfirmed_user_id = null, added_at = coalesce(added_at, ${this.#database.now})
        where id = $1 and (user_id = $2 or unconfirmed_user_id = $2) returning id`
      if ((await query(sql, [loginID, userID])).length === 0) return false
      const insert = `insert into users (id, created_at) values ($1, ${this.#database.now}) on conflict (id) do nothing`
      await query(insert, [userID])
      return true
    })
  }

  /** Detaches the login of an account that no one has confirmed. Does nothing to a confirmed account. */
  async release(userID: string): Promise<void> {
    const sql = 'update federated_credentials set unconfirmed_user_id = null where unconfirmed_user_id = $1'
    await this.#database.query(sql, [userID])
  }

  /** Adds a login to an account. `taken`: the login belongs to another account that was confirmed. */
  link(loginID: string, userID: string): Promise<'linked' | 'taken' | 'too_many_logins'> {
    return this.#database.transaction(async (query) => {
      await lockAccount(query, userID)
      const count = 'select count(*) as logins from federated_credentials where user_id = $1 and id <> $2'
      const [row] = await query(count, [userID, loginID])
      if (row && number(row, 'logins') >= MAX_LOGINS) return 'too_many_logins'
      const sql = `update federated_credentials
        set user_id = $2, unconfirmed_user_id = null, added_at = coalesce(added_at, ${this.#database.now})
        where id = $1 and (user_id is null or user_id = $2) returning id`
      return (await query(sql, [loginID, userID])).length > 0 ? 'linked' : 'taken'
    })
  }

  /**
   * Removes a login from an account, unless none of these providers would remain: others cannot sign in.
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
      const left = 'select id from federated_credentials where id = $1 and user_id = $2'
      return (await query(left, [loginID, userID])).length === 0
    })
  }

  /** The logins of an account, in the order in which they were added, and the time by the clock of the database. */
  async loginsOf(userID: string): Promise<{ readonly logins: readonly Login[]; readonly readAt: number }> {
    const sql = `select *, ${this.#database.now} as read_at from federated_credentials
      where user_id = $1 or unconfirmed_user_id = $1 order by added_at, id`
    const rows = await this.#database.query(sql, [userID])
    return { logins: rows.map(toLogin), readAt: rows[0] ? number(rows[0], 'read_at') : 0 }
  }

  /** Deletes logins whose account no one confirmed within a day of the last login, or that have had none for a day. */
  async deleteUnconfirmed(): Promise<void> {
    const { now, skipLocked } = this.#database
    const limit = `${now} - ${UNCONFIRMED_LIFETIME_MS}`
    await inBatches(async (size) => {
      const some = `select id from federated_credentials
        where user_id is null and used_at < ${limit} limit ${size} ${skipLocked}`
      const sql = `delete from federated_credentials where id in (${some}) and user_id is null returning id`
      return (await this.#database.query(sql)).length
    })
  }
}

/** Locks the account's row: of two simultaneous changes of its logins, the second sees the result of the first. */
async function lockAccount(query: Query, userID: string): Promise<void> {
  await query('update users set created_at = created_at where id = $1', [userID])
}

function toLogin(row: Row): Login {
  return {
    id: text(row, 'id'),
    provider: text(row, 'provider'),
    subject: text(row, 'subject'),
    userID: row['user_id'] === null ? undefined : text(row, 'user_id'),
    person: JSON.parse(text(row, 'person')),
    sealedToken: text(row, 'sealed_token'),
    usedAt: number(row, 'used_at'),
  }
}

/** Inserts or updates a login. @param newID of the account that it will get if it has none; null: it gets none */
async function upsertLogin({ query, now }: Database, input: LoginInput, newID: string | null): Promise<Row> {
  const { provider, subject, person, sealedToken } = input
  const sql = `insert into federated_credentials
    (id, provider, subject, person, sealed_token, used_at, unconfirmed_user_id) values ($1, $2, $3, $4, $5, ${now}, $6)
    on conflict (provider, subject) do update set person = $4, sealed_token = $5, used_at = ${now}, unconfirmed_user_id =
      case when federated_credentials.user_id is null then coalesce(federated_credentials.unconfirmed_user_id, $6) end
    returning *`
  const values = [randomUUID(), provider, subject, JSON.stringify(person), sealedToken, newID]
  const [row] = await query(sql, values)
  if (!row) throw new Error('The database returned no login')
  return row
}
