import { type Database, number } from './database'

/**
 * Existing entries must never change: append a new one instead. A login (`federated_credentials`) is what the provider
 * says about a user; its account (`users`) may have several logins.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    // Null means that a user has confirmed that the account is theirs.
    `create table if not exists users (id text primary key, created_at bigint not null, unconfirmed_since bigint)`,
    `create table if not exists federated_credentials (
      id text primary key,
      provider text not null,
      subject text not null,
      user_id text references users (id) on delete cascade deferrable initially deferred,
      person text not null,
      sealed_token text not null,
      used_at bigint not null,
      unique (provider, subject))`,
    'create index if not exists federated_credentials_user on federated_credentials (user_id)',
    'create index if not exists users_unconfirmed on users (unconfirmed_since) where unconfirmed_since is not null',
    'create index if not exists federated_credentials_unopened on federated_credentials (used_at) where user_id is null',
    'create table if not exists sessions (id text primary key, user_id text, data text, expires_at bigint not null)',
    'create index if not exists sessions_user on sessions (user_id)',
    'create index if not exists sessions_expiry on sessions (expires_at)',
    // The columns that rate-limiter-flexible expects.
    'create table if not exists rate_limits (key varchar(255) primary key, points integer not null, expire bigint)',
  ],
  [
    // Only an account that a user has confirmed has a row now. Until then, the login holds the id that it will have.
    'alter table federated_credentials add column unconfirmed_user_id text',
    `update federated_credentials set unconfirmed_user_id = user_id, user_id = null
      where user_id in (select id from users where unconfirmed_since is not null)`,
    'delete from users where unconfirmed_since is not null',
    // The time when the login was added to its account. The first one is the account's profile.
    'alter table federated_credentials add column added_at bigint',
    'update federated_credentials set added_at = used_at where user_id is not null',
    'drop index users_unconfirmed',
    'alter table users drop column unconfirmed_since',
    `create index federated_credentials_unconfirmed on federated_credentials (unconfirmed_user_id)
      where unconfirmed_user_id is not null`,
  ],
]

/** The database was migrated by a newer version of this application. */
export class NewerSchemaError extends Error {
  constructor(found: number) {
    super(
      `The database has schema version ${found}, and this application knows ${MIGRATIONS.length}: start the newer version`,
    )
  }
}

/**
 * Brings the tables up to date. When several processes start at the same time, one migrates and the others wait for it.
 *
 * @throws NewerSchemaError for a database that a newer version has migrated
 */
export async function migrate(database: Database): Promise<void> {
  await database.migration(async (query) => {
    await query('create table if not exists migrations (version integer primary key)')
    const [row = {}] = await query('select coalesce(max(version), 0) as version from migrations')
    const applied = number(row, 'version')
    if (applied > MIGRATIONS.length) throw new NewerSchemaError(applied)
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < applied) continue
      for (const statement of statements) await query(statement)
      await query('insert into migrations (version) values ($1)', [index + 1])
    }
  })
}
