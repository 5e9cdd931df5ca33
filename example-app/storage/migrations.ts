import { type Database, number, optionalText, type Query } from './database'

/**
 * Existing entries must never change: append a new one instead. A login (`federated_credentials`) is what the provider
 * says about a person; its account (`users`) may have several logins.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    'create table users (id text primary key, created_at bigint not null)',
    `create table federated_credentials (
      id text primary key,
      provider text not null,
      subject text not null,
      user_id text references users (id) on delete cascade deferrable initially deferred,
      person text not null,
      sealed_token text not null,
      used_at bigint not null,
      unique (provider, subject))`,
    'create index federated_credentials_user on federated_credentials (user_id)',
    `create table sessions (
      id text primary key,
      user_id text,
      data text,
      expires_at bigint not null)`,
    'create index sessions_user on sessions (user_id)',
    'create index sessions_expiry on sessions (expires_at)',
    'create table rate_limits (key varchar(255) primary key, points integer not null, expire bigint)',
  ],
  [
    // Null means that the account is confirmed, which includes all accounts from before this column existed.
    'alter table users add column unconfirmed_since bigint',
    `create table callbacks_under_way (
      id text primary key,
      address text not null,
      expires_at bigint not null)`,
    'create index callbacks_under_way_address on callbacks_under_way (address)',
  ],
  [
    // Replaces `rate_limits` and `callbacks_under_way`, which remain because older processes may still write to them.
    `create table callback_slots (
      address text not null,
      slot integer not null,
      id text not null,
      rejected integer not null,
      expires_at bigint not null,
      primary key (address, slot))`,
    'create index callback_slots_expiry on callback_slots (expires_at)',
    'create table storage_checks (id integer primary key, checked_at bigint not null)',
    'create index users_unconfirmed on users (unconfirmed_since) where unconfirmed_since is not null',
    'create index federated_credentials_unopened on federated_credentials (used_at) where user_id is null',
  ],
]

const CREATE_VERSIONS = 'create table if not exists schema_migrations (version integer primary key)'
const FIND_TABLE = {
  sqlite: `select name from sqlite_schema where name = 'federated_credentials'`,
  postgres: `select cast(to_regclass('federated_credentials') as text) as name`,
}

/** The database was migrated by a newer version of this application. */
export class NewerSchemaError extends Error {
  constructor(found: number) {
    super(
      `The database has schema version ${found}, and this application knows ${MIGRATIONS.length}: start the newer version`,
    )
    this.name = 'NewerSchemaError'
  }
}

/**
 * Brings the tables up to date. When several processes start at once, one migrates and the others wait for it.
 *
 * @throws NewerSchemaError for a database that a newer version has migrated
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(
    async (query) => {
      if (!(await hasTables(database, query))) await query(CREATE_VERSIONS)
      const [row] = await query('select coalesce(max(version), 0) as version from schema_migrations')
      const applied = row === undefined ? 0 : number(row, 'version')
      if (applied > MIGRATIONS.length) throw new NewerSchemaError(applied)
      for (const [index, statements] of MIGRATIONS.entries()) {
        if (index < applied) continue
        for (const statement of statements) await query(statement)
        await query('insert into schema_migrations (version) values ($1)', [index + 1])
      }
    },
    { alone: true },
  )
}

/**
 * Whether there are tables of this application. In Postgres they may be in another schema than the one that new tables go to,
 * as when somebody has created a schema of the role's name: new, empty ones would hide all accounts.
 */
async function hasTables({ dialect }: Database, query: Query): Promise<boolean> {
  const [row] = await query(FIND_TABLE[dialect])
  return row !== undefined && optionalText(row, 'name') !== undefined
}
