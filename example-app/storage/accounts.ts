import { randomUUID } from 'node:crypto'
import { type Database, number, optionalText, type Row, text } from './database'

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
  /** The account that it opens; none as long as nobody has confirmed it. */
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

  /** The account of a login, made now if there is none. Of several that ask at once, all get the same. */
  openAccount(loginID: string): Promise<string> {
    return this.#database.transaction(async (query) => {
      const newID = randomUUID()
      const sql = 'update federated_credentials set user_id = coalesce(user_id, $2) where id = $1 returning user_id'
      const [row] = await query(sql, [loginID, newID])
      if (!row) throw new Error('There is no such login')
      const userID = text(row, 'user_id')
      if (userID === newID) await query('insert into users (id, created_at) values ($1, $2)', [newID, Date.now()])
      return userID
    })
  }

  /** Adds a login to an account. False when it opens another one already. */
  async link(loginID: string, userID: string): Promise<boolean> {
    const sql = `update federated_credentials set user_id = $2
      where id = $1 and (user_id is null or user_id = $2) returning id`
    return (await this.#database.query(sql, [loginID, userID])).length > 0
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

  /** The logins of an account, the one used last in front. */
  async loginsOf(userID: string): Promise<Login[]> {
    const sql = 'select * from federated_credentials where user_id = $1 order by used_at desc, id'
    return (await this.#database.query(sql, [userID])).map(toLogin)
  }

  /** Forgets the people who said "Not me", or nothing. */
  async deleteUnconfirmed(): Promise<void> {
    const sql = 'delete from federated_credentials where user_id is null and used_at < $1'
    await this.#database.query(sql, [Date.now() - UNCONFIRMED_LIFETIME_MS])
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
