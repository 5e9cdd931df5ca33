import { randomUUID } from 'node:crypto'
import { type Database, number, optionalText, type Query, type Row, text, type Value } from './database'

/** What the pages show of a person. */
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

/** What the provider said at somebody's latest sign-in. */
export interface LoginInput {
  /** Together with `subject` the key of the login: e-mail addresses change hands, ids do not. */
  readonly provider: string
  readonly subject: string
  readonly person: Person
  readonly sealedToken: string
}

/** A login at the provider: a row of `federated_credentials`. */
export interface Login extends LoginInput {
  readonly id: string
  /** The account that it opens; none after "Not me". */
  readonly userID: string | undefined
  readonly usedAt: number
}

const UNCONFIRMED_LIFETIME_MS = 24 * 60 * 60 * 1000

/** Accounts, and the logins that open them. */
export class Accounts {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Keeps what a sign-in brought, whether or not an account comes of it. */
  async recordLogin({ provider, subject, person, sealedToken }: LoginInput): Promise<Login> {
    const sql = `insert into federated_credentials (id, provider, subject, person, sealed_token, used_at)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (provider, subject) do update set person = $4, sealed_token = $5, used_at = $6
      returning *`
    const values = [randomUUID(), provider, subject, JSON.stringify(person), sealedToken, Date.now()]
    const [login] = (await this.#database.query(sql, values)).map(toLogin)
    if (!login) throw new Error('The database returned no login')
    return login
  }

  async findLogin(id: string): Promise<Login | undefined> {
    const [row] = await this.#database.query('select * from federated_credentials where id = $1', [id])
    return row && toLogin(row)
  }

  async updatePerson(loginID: string, person: Person): Promise<void> {
    const sql = 'update federated_credentials set person = $2 where id = $1'
    await this.#database.query(sql, [loginID, JSON.stringify(person)])
  }

  /**
   * The account of a login, made now if there is none: unconfirmed, until somebody says that it is theirs. Of several
   * that ask at once, all get the same.
   */
  async openAccount(loginID: string): Promise<string> {
    const userID = await this.#database.transaction(async (query) => {
      const newID = randomUUID()
      const sql = 'update federated_credentials set user_id = coalesce(user_id, $2) where id = $1 returning user_id'
      const [row] = await query(sql, [loginID, newID])
      if (!row) throw new Error('There is no such login')
      const account = text(row, 'user_id')
      const insert = 'insert into users (id, created_at, unconfirmed_since) values ($1, $2, $2)'
      if (account === newID) await query(insert, [newID, Date.now()])
      return account
    })
    // The next answer may take as long as the first. Not in the transaction, which holds the login: whoever releases an
    // account takes its row first and the login after it.
    const sql = 'update users set unconfirmed_since = $2 where id = $1 and unconfirmed_since < $2'
    await this.#database.query(sql, [userID, Date.now()])
    return userID
  }

  /** Notes that a person said that the account of a login is theirs. False when the login does not open it any more. */
  async confirm(loginID: string, userID: string): Promise<boolean> {
    const sql = `update users set unconfirmed_since = null where id = $2
      and exists (select 1 from federated_credentials where id = $1 and user_id = $2) returning id`
    return (await this.#database.query(sql, [loginID, userID])).length > 0
  }

  /** Ends an account that nobody has confirmed, and frees its login. A confirmed account stays as it is. */
  release(userID: string): Promise<void> {
    return this.#database.transaction((query) => endUnconfirmed(query, 'id = $1', [userID]))
  }

  /** Adds a login to an account. False when it opens another one already that somebody has confirmed. */
  link(loginID: string, userID: string): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      const other = 'id = (select user_id from federated_credentials where id = $1 and user_id <> $2)'
      await endUnconfirmed(query, other, [loginID, userID])
      const sql = `update federated_credentials set user_id = $2
        where id = $1 and (user_id is null or user_id = $2) returning id`
      return (await query(sql, [loginID, userID])).length > 0
    })
  }

  /** Takes a login off an account, but never the last one. */
  async unlink(loginID: string, userID: string): Promise<boolean> {
    return this.#database.transaction(async (query) => {
      // Locks the account's row: of two that remove a login each, the second sees what the first has left.
      await query('update users set created_at = created_at where id = $1', [userID])
      const sql = `delete from federated_credentials where id = $1 and user_id = $2
        and (select count(*) from federated_credentials where user_id = $2) > 1 returning id`
      return (await query(sql, [loginID, userID])).length > 0
    })
  }

  async exists(userID: string): Promise<boolean> {
    return (await this.#database.query('select id from users where id = $1', [userID])).length > 0
  }

  /** Whether the login opens the account: it does so no more when it has been removed. */
  async opens(loginID: string, userID: string): Promise<boolean> {
    const sql = `select users.id from users join federated_credentials on user_id = users.id
      where federated_credentials.id = $1 and users.id = $2`
    return (await this.#database.query(sql, [loginID, userID])).length > 0
  }

  /** The logins of an account, the one used last in front. */
  async loginsOf(userID: string): Promise<Login[]> {
    const sql = 'select * from federated_credentials where user_id = $1 order by used_at desc, id'
    return (await this.#database.query(sql, [userID])).map(toLogin)
  }

  /** Forgets the people who said "Not me", or nothing. */
  async deleteUnconfirmed(): Promise<void> {
    const limit = Date.now() - UNCONFIRMED_LIFETIME_MS
    await this.#database.transaction((query) => endUnconfirmed(query, 'unconfirmed_since < $1', [limit]))
    await this.#database.query('delete from federated_credentials where user_id is null and used_at < $1', [limit])
  }
}

/** The accounts' rows are locked before their logins are freed, so that nobody can confirm one in between. */
async function endUnconfirmed(query: Query, condition: string, values: readonly Value[]): Promise<void> {
  const lock = `update users set created_at = created_at where ${condition} and unconfirmed_since is not null returning id`
  for (const row of await query(lock, values)) {
    const userID = text(row, 'id')
    await query('update federated_credentials set user_id = null where user_id = $1', [userID])
    await query('delete from users where id = $1', [userID])
  }
}

function toLogin(row: Row): Login {
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
