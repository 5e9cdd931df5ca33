import { Cookie, type SessionData } from 'express-session'
import { Accounts } from '../../../example-app/storage/accounts'
import type { Database } from '../../../example-app/storage/database'
import { openDatabase } from '../../../example-app/storage/open-database'
import { migrate } from '../../../example-app/storage/schema'
import { DatabaseSessions } from '../../../example-app/storage/sessions'
import type { FreshStorage } from '../../support/example/storages'

export function testStorage(fresh: FreshStorage): void {
  let database: Database
  let accounts: Accounts
  let sessions: DatabaseSessions

  beforeEach(async () => {
    const { DATABASE_URL, DATA_DIR = '' } = (await fresh()).environment
    database = openDatabase(DATABASE_URL, DATA_DIR)
    await migrate(database)
    accounts = new Accounts(database)
    sessions = new DatabaseSessions(database)
  })
  afterEach(() => database.close())

  const signIn = (subject: string) =>
    accounts.findOrCreate({ provider: 'one', subject, person: { displayName: subject }, sealedToken: 'sealed' })
  const loginOf = (subject: string) =>
    accounts.recordLogin({ provider: 'one', subject, person: { displayName: subject }, sealedToken: 'sealed' })
  const exists = async (userID: string): Promise<boolean> =>
    (await database.query('select id from users where id = $1', [userID])).length === 1
  const opens = async (loginID: string, userID: string): Promise<boolean> =>
    (await accounts.findLogin(loginID))?.userID === userID && (await exists(userID))

  test('what no one has confirmed for a day is deleted; what has been confirmed once stays', async () => {
    const [, kept, open] = [await signIn('1'), await signIn('2'), await signIn('3')]
    expect(await accounts.confirm(kept.login.id, kept.userID)).toBe(true)
    const day = 24 * 60 * 60 * 1000
    await database.query('update users set created_at = created_at - $1', [2 * day])
    await database.query('update federated_credentials set used_at = used_at - $1', [2 * day])
    // Asked again: a new day starts.
    expect((await signIn('3')).isConfirmed).toBe(false)
    await accounts.deleteUnconfirmed()
    const sql = 'select subject, user_id, unconfirmed_user_id from federated_credentials order by subject'
    expect(await database.query(sql)).toStrictEqual([
      { subject: '2', user_id: kept.userID, unconfirmed_user_id: null },
      { subject: '3', user_id: null, unconfirmed_user_id: open.userID },
    ])
    expect(await database.query('select id from users')).toStrictEqual([{ id: kept.userID }])
    await accounts.release(kept.userID)
    expect(await opens(kept.login.id, kept.userID)).toBe(true)
    expect(await signIn('2')).toMatchObject({ userID: kept.userID, isConfirmed: true })
  })

  test('confirmed, released, linked and cleaned at the same time, an account is whole or gone', async () => {
    const { login: owner, userID: ownerID } = await signIn('owner')
    await accounts.confirm(owner.id, ownerID)
    for (let round = 0; round < 20; round++) {
      const { login, userID } = await signIn(`round ${round}`)
      const { id } = login
      await database.query('update federated_credentials set used_at = 1 where id = $1', [id])
      const [isConfirmed, linked] = await Promise.all([
        accounts.confirm(id, userID),
        accounts.link(id, ownerID),
        accounts.release(userID),
        accounts.deleteUnconfirmed(),
        signIn(`round ${round}`),
      ])
      const now = (await accounts.findLogin(id))?.userID
      if (isConfirmed) expect([linked, now]).toStrictEqual(['taken', userID])
      if (linked === 'linked') expect(now).toBe(ownerID)
      expect(now === undefined || (await exists(now))).toBe(true)
      // An account has ten logins at most.
      await accounts.unlink(id, ownerID, ['one'])
    }
    expect(await opens(owner.id, ownerID)).toBe(true)
  })

  test('a database of the first version keeps its accounts, those that no one has confirmed included', async () => {
    const [asked, confirmed] = [await signIn('asked'), await signIn('confirmed')]
    await accounts.confirm(confirmed.login.id, confirmed.userID)
    // As it was.
    for (const sql of [
      'alter table users add column unconfirmed_since bigint',
      'create index users_unconfirmed on users (unconfirmed_since) where unconfirmed_since is not null',
      'insert into users (id, created_at, unconfirmed_since) select unconfirmed_user_id, 1, 1 from federated_credentials where unconfirmed_user_id is not null',
      'update federated_credentials set user_id = coalesce(user_id, unconfirmed_user_id)',
      'drop index federated_credentials_unconfirmed',
      'alter table federated_credentials drop column unconfirmed_user_id',
      'alter table federated_credentials drop column added_at',
      'delete from migrations where version = 2',
    ]) {
      await database.query(sql)
    }
    await migrate(database)
    expect(await database.query('select id from users')).toStrictEqual([{ id: confirmed.userID }])
    expect(await signIn('asked')).toMatchObject({ userID: asked.userID, isConfirmed: false })
    expect(await signIn('confirmed')).toMatchObject({ userID: confirmed.userID, isConfirmed: true })
    expect((await accounts.loginsOf(asked.userID)).logins).toHaveLength(1)
  })

  test('an account keeps its last login, even when both are removed at the same time', async () => {
    const [{ login: first, userID }, second] = [await signIn('1'), await loginOf('2')]
    await accounts.confirm(first.id, userID)
    expect(await accounts.link(second.id, userID)).toBe('linked')
    const removals = await Promise.all([first, second].map(({ id }) => accounts.unlink(id, userID, ['one'])))
    expect(removals.sort()).toStrictEqual([false, true])
    expect((await accounts.loginsOf(userID)).logins.length).toBe(1)
  })

  test('what fails in a transaction leaves nothing, and stops no other transaction', async () => {
    const failing = database.transaction(async (query) => {
      await query('insert into users (id, created_at) values ($1, $2)', ['lost', 1])
      throw new Error('on purpose')
    })
    await Promise.all([expect(failing).rejects.toThrow('on purpose'), loginOf('1')])
    await expect(database.query('select nothing from nowhere')).rejects.toThrow()
    expect(await exists('lost')).toBe(false)
    expect((await loginOf('1')).person.displayName).toBe('1')
  })

  test('a session that was ended is not saved back to life by a slower request', async () => {
    await stored('sid', sessionOf('user'))
    expect(await found('sid')).toMatchObject({ passport: { user: 'user' } })
    await sessions.endAllOf('user')
    await stored('sid', sessionOf('user'))
    expect(await found('sid')).toBeNull()
    await stored('other', sessionOf('user'))
    await new Promise<void>((resolve, reject) =>
      sessions.destroy('other', (error) => (error ? reject(error) : resolve())),
    )
    await stored('other', sessionOf('user'))
    expect(await found('other')).toBeNull()
  })

  test('a sign-in ends on its day, however often its session is used and saved; a visitor’s continues', async () => {
    const expiry = async (): Promise<number[]> =>
      (
        await database.query('select expires_at from sessions order by case when user_id is null then 1 else 0 end')
      ).map((row) => Number(row['expires_at']))
    await stored('sid', sessionOf('user', 60_000))
    await stored('visit', sessionOf(undefined, 60_000))
    const [signedIn = 0, visitor = 0] = await expiry()
    for (const user of ['user', undefined]) await stored(user === undefined ? 'visit' : 'sid', sessionOf(user, 600_000))
    const [later = 0, prolonged = 0] = await expiry()
    expect([later, prolonged > visitor + 500_000]).toStrictEqual([signedIn, true])
    expect(sessions.touch).toBeUndefined()
  })

  test('of an account that has been signed in to more than a hundred times, the oldest sessions end when rows are cleaned', async () => {
    const older = 5
    await stored('of another account', sessionOf('other', 50_000))
    for (let count = 0; count < 100 + older; count++) await stored(`sid ${count}`, sessionOf('user', 60_000 + count))
    await sessions.clean()
    for (let count = 0; count < older; count++) expect(await found(`sid ${count}`)).toBeNull()
    expect(await found(`sid ${older}`)).toMatchObject({ passport: { user: 'user' } })
    expect(await found('of another account')).toMatchObject({ passport: { user: 'other' } })
    // Ended for good, as by a sign-out.
    await stored('sid 0', sessionOf('user', 600_000))
    expect(await found('sid 0')).toBeNull()
  })

  test('a session that has expired is none, and is swept away', async () => {
    await stored('sid', sessionOf('user', -1000))
    await stored('old', sessionOf('user', -61 * 60 * 1000))
    expect([await found('sid'), await found('old')]).toStrictEqual([null, null])
    await sessions.clean()
    // An hour later: a slow request that saved a session without a row would give it a new end.
    expect((await database.query('select id from sessions')).length).toBe(1)
  })

  test('processes that clean at the same time share the work', async () => {
    const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)'
    const id = 'cast(n as text)'
    await database.query(`${numbers} insert into sessions (id, data, expires_at) select ${id}, '{}', n from numbers`)
    await database.query(`${numbers} insert into federated_credentials (id, provider, subject, unconfirmed_user_id, person, sealed_token, used_at)
      select ${id}, 'one', ${id}, ${id}, '{}', '', n from numbers`)
    const cleaning = [1, 2, 3, 4].flatMap(() => [sessions.clean(), accounts.deleteUnconfirmed()])
    await Promise.all(cleaning)
    await accounts.deleteUnconfirmed()
    for (const table of ['sessions', 'federated_credentials']) {
      expect([table, await database.query(`select id from ${table}`)]).toStrictEqual([table, []])
    }
  })

  const found = (sid: string): Promise<SessionData | null | undefined> =>
    new Promise((resolve, reject) => sessions.get(sid, (error, session) => (error ? reject(error) : resolve(session))))
  const stored = (sid: string, session: SessionData): Promise<void> =>
    new Promise((resolve) => sessions.set(sid, session, () => resolve()))
}

function sessionOf(user: string | undefined, maxAge = 60_000): SessionData {
  const cookie = new Cookie()
  cookie.maxAge = maxAge
  return { cookie, ...(user !== undefined && { passport: { user } }) }
}
