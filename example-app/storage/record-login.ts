import { randomUUID } from 'node:crypto'
import type { LoginInput } from './accounts'
import { type Database, number, type Row, text, type Value } from './database'

/** Keeps what a login brought. @returns its row, and whether its account is unconfirmed */
export async function recordLogin(database: Database, input: LoginInput): Promise<Row> {
  return required((await database.query(statement(database), valuesOf(input, null)))[0])
}

/**
 * The same, and makes the account `newID` if the login opens none: both or neither. One statement in Postgres, which may
 * be far away; SQLite knows no such statement, and is near.
 */
export async function recordAndOpen(database: Database, input: LoginInput, newID: string): Promise<Row> {
  const insert = 'insert into users (id, created_at, unconfirmed_since)'
  const values = valuesOf(input, newID)
  if (database.dialect === 'postgres') {
    const sql = `with login as (${statement(database)}),
      account as (${insert} select user_id, used_at, used_at from login where user_id = $6)
      select * from login`
    return required((await database.query(sql, values))[0])
  }
  return database.transaction(async (query) => {
    const login = required((await query(statement(database), values))[0])
    const [userID, usedAt] = [text(login, 'user_id'), number(login, 'used_at')]
    if (userID === newID) await query(`${insert} values ($1, $2, $2)`, [userID, usedAt])
    return login
  })
}

/** Who cannot see the account's row yet, because it is made at this moment, takes it for unconfirmed. */
function statement({ now }: Database): string {
  return `insert into federated_credentials (id, provider, subject, person, sealed_token, user_id, used_at)
    values ($1, $2, $3, $4, $5, $6, ${now})
    on conflict (provider, subject) do update set person = $4, sealed_token = $5, used_at = ${now},
      user_id = coalesce(federated_credentials.user_id, $6)
    returning *, coalesce((select case when unconfirmed_since is null then 0 else 1 end
      from users where users.id = user_id), 1) as is_unconfirmed`
}

function valuesOf({ provider, subject, person, sealedToken }: LoginInput, userID: string | null): Value[] {
  return [randomUUID(), provider, subject, JSON.stringify(person), sealedToken, userID]
}

function required(row: Row | undefined): Row {
  if (!row) throw new Error('The database returned no login')
  return row
}
