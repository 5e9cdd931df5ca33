import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { runExample } from '../../support/example/example-app'
import { asSuperuser, untilSomebodyWaits, useTroubledPostgres } from '../../support/outages/troubled-postgres'
import { describeWithPostgres } from '../../support/postgres/postgres'

describeWithPostgres('a Postgres that answers, in part with errors', () => {
  const postgres = useTroubledPostgres()
  const { newDatabase, start, newVisitor, health, untilHealth, exchanges } = postgres

  test('whose connections have become read-only gets new ones, which reach the new primary', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const { pathname } = new URL(url)
    const name = pathname.slice(1)
    expect(await health(example)).toBe(200)
    await asSuperuser(url, async (client) => {
      await client.query(`alter database "${name}" set default_transaction_read_only = on`)
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> $2', [
        name,
        (await client.query('select pg_backend_pid() as pid')).rows[0].pid,
      ])
      await untilHealth(example, 503)
      await client.query('set transaction_read_only = off')
      await client.query('begin read write')
      await client.query(`alter database "${name}" reset default_transaction_read_only`)
      await client.query('commit')
    })
    const writable = performance.now()
    await untilHealth(example, 200)
    expect(await newVisitor('1').signIn(example.appURL)).toBe('/profile')
    expect(performance.now() - writable).toBeLessThan(5000)
  }, 40_000)

  describe.each(['search_path = nowhere', 'default_transaction_read_only = on'])(
    'with new connections for which %s',
    (setting) => {
      const cutIdle = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle' and query not like '%storage_checks%'`
      const change = async (client: Client, url: string, how: string): Promise<void> => {
        await client.query(`alter database "${new URL(url).pathname.slice(1)}" ${how}`)
      }
      const set = (client: Client, url: string): Promise<void> => change(client, url, `set ${setting}`)
      const reset = (client: Client, url: string): Promise<void> =>
        change(client, url, `reset ${setting.split(' ')[0]}`)

      test('is noticed at /healthz, although its own connection is older, and nobody signs in', async () => {
        const url = await newDatabase()
        const example = await start(url)
        expect(await health(example)).toBe(200)
        await asSuperuser(url, async (client) => {
          await set(client, url)
          // The pool closes its connections when nobody has used them for ten seconds.
          await untilHealth(example, 503)
          await reset(client, url)
        })
        await untilHealth(example, 200)
      }, 20_000)

      test('is noticed at /healthz by the first login that fails, although some connections are older', async () => {
        const url = await newDatabase()
        const example = await start(url)
        const [ada, grace] = ['1', '2'].map((id) => newVisitor(id))
        await ada?.signIn(example.appURL)
        await grace?.begin(example.appURL)
        expect(await health(example)).toBe(200)
        await asSuperuser(url, async (blocker) => {
          await set(blocker, url)
          await blocker.query('begin')
          await blocker.query('select id from sessions for update')
          const leaving = ada?.submit(`${example.appURL}/logout`)
          await untilSomebodyWaits(blocker)
          await blocker.query(cutIdle)
          expect((await grace?.comeBack(example.appURL))?.location).toBe('/login?reason=database_unavailable')
          // It may still give its last answer. A start would not do: it only reads.
          while ((await health(example)) !== 503) await newVisitor('3').signIn(example.appURL)
          await blocker.query('rollback')
          await leaving
          await reset(blocker, url)
        })
        await untilHealth(example, 200)
        expect(await grace?.signIn(example.appURL)).toBe('/profile')
      }, 20_000)
    },
  )

  test('that becomes read-only while the provider is asked, as in a failover, costs no key', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const { pathname } = new URL(url)
    const name = pathname.slice(1)
    const setReadOnly = (value: 'on' | 'off'): Promise<void> =>
      asSuperuser(Object.assign(new URL(url), { pathname: '/postgres' }).href, async (client) => {
        await client.query(`alter database "${name}" set default_transaction_read_only = ${value}`)
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
      })
    const ada = newVisitor('1')
    await ada.begin(example.appURL)
    postgres.provider.failNext('authorize', { delay: 1500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await delay(300)
    await setReadOnly('on')
    await delay(2000)
    await setReadOnly('off')
    expect((await back).location).toBe('/login/confirm')
  }, 40_000)

  test.each([
    ['locked', 'begin; lock table users in share mode', 'rollback'],
    ['locked', 'begin; lock table sessions in exclusive mode', 'rollback'],
    ['locked', 'begin; lock table callback_slots in share mode', 'rollback'],
    [
      'missing',
      'alter table users rename to users_that_are_restored',
      'alter table users_that_are_restored rename to users',
    ],
    [
      'missing',
      'alter table callback_slots rename to slots_that_are_restored',
      'alter table slots_that_are_restored rename to callback_slots',
    ],
    [
      'without its key',
      'alter table federated_credentials drop constraint federated_credentials_provider_subject_key',
      'alter table federated_credentials add unique (provider, subject)',
    ],
    [
      'without its key',
      'alter table sessions drop constraint sessions_pkey',
      'alter table sessions add primary key (id)',
    ],
  ])(
    'in which a table is %s (%s) is noticed at /healthz, and spends no keys',
    async (_way, breakIt, repairIt) => {
      const url = await newDatabase()
      const example = await start(url)
      const ada = newVisitor('1')
      await ada.begin(example.appURL)
      const [key, before] = [ada.newKey(), exchanges()]
      await asSuperuser(url, async (client) => {
        await client.query(breakIt)
        const back = ada.comeBack(example.appURL, key)
        await untilHealth(example, 503)
        expect((await back).location).toBe('/login?reason=database_unavailable')
        await client.query(repairIt)
      })
      expect(exchanges()).toBe(before)
      await untilHealth(example, 200)
      expect((await ada.comeBack(example.appURL, key)).location).toBe('/login/confirm')
    },
    20_000,
  )

  describe('that admits no more connections', () => {
    const asLimited = async (limit: number): Promise<{ url: string; role: string }> => {
      const url = new URL(await newDatabase())
      const role = `limited_${url.pathname.slice(1)}`
      await asSuperuser(url.href, async (client) => {
        await client.query(`create role ${role} login connection limit ${limit}`)
        await client.query(`alter database "${url.pathname.slice(1)}" owner to ${role}`)
      })
      url.username = role
      return { url: url.href, role }
    }

    test('gets the logins of many people through the few that there are', async () => {
      const { url, role } = await asLimited(2)
      const example = await start(url)
      expect(await health(example)).toBe(200)
      const visitors = ['1', '2', '3', '1', '2', '3', '1', '2'].map((id) => newVisitor(id))
      const ends = await Promise.all(visitors.map((visitor) => visitor.signIn(example.appURL)))
      expect(ends).toEqual(visitors.map(() => '/profile'))
      // Logins may take the connection of /healthz as well, when the server has cut all of them.
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`
      await asSuperuser(url.replace(role, 'postgres'), (client) => client.query(cut))
      await Promise.all(visitors.map((visitor) => visitor.whoAmI(example.appURL)))
      await delay(1100)
      expect(await health(example)).toBe(200)
    }, 20_000)

    test('is noticed at /healthz when logins get none', async () => {
      const { url, role } = await asLimited(1)
      const example = await start(url)
      // The one that there is belongs to /healthz.
      await untilHealth(example, 503)
      expect((await newVisitor('1').begin(example.appURL)).status).toBe(503)
      await asSuperuser(url.replace(role, 'postgres'), (client) =>
        client.query(`alter role ${role} connection limit 2`),
      )
      await untilHealth(example, 200)
      expect(await newVisitor('1').signIn(example.appURL)).toBe('/profile')
    }, 20_000)
  })

  test('whose disk is full is noticed by the first login that fails, and spends no further keys', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const [first, ...others] = ['1', '2', '3'].map((id) => newVisitor(id))
    for (const visitor of [first, ...others]) await visitor?.begin(example.appURL)
    const before = exchanges()
    await asSuperuser(url, async (client) => {
      await client.query(`create function no_space() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
      await client.query('create trigger no_space before insert on users for each row execute function no_space()')
    })
    for (const visitor of [first, ...others]) {
      expect((await visitor?.comeBack(example.appURL))?.location).toBe('/login?reason=database_unavailable')
    }
    expect(exchanges()).toBe(before + 1)
    expect(await health(example)).toBe(503)
    await asSuperuser(url, (client) => client.query('drop trigger no_space on users'))
    await untilHealth(example, 200)
    expect(await others[0]?.signIn(example.appURL)).toBe('/profile')
  }, 30_000)

  test('that refuses to end the session before a sign-in signs nobody out, and leaves no other session behind', async () => {
    const url = await newDatabase()
    const example = await start(url)
    const ada = newVisitor('1')
    await ada.signIn(example.appURL)
    await ada.begin(example.appURL)
    await asSuperuser(url, async (client) => {
      await client.query(`create function refuse() returns trigger language plpgsql as
        'begin raise exception $no$no session ends$no$; end'`)
      await client.query(`create trigger refuse before update on sessions for each row
        when (new.data is null) execute function refuse()`)
      expect((await ada.comeBack(example.appURL)).location).toMatch(/=failed_here$/)
      await client.query('drop trigger refuse on sessions')
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe('1')
      expect((await client.query('select id from sessions where user_id is not null')).rows).toHaveLength(1)
    })
  }, 20_000)

  test('gets no more connections than DATABASE_POOL_SIZE, and one for /healthz', async () => {
    const url = await newDatabase()
    const example = await start(url, { DATABASE_POOL_SIZE: '3' })
    await asSuperuser(url, async (client) => {
      const visitors = Array.from({ length: 30 }, () => newVisitor('1'))
      await Promise.all([health(example), ...visitors.map((visitor) => visitor.signIn(example.appURL))])
      const open = await client.query(`select pid from pg_stat_activity
        where application_name = 'passport-social-login-example' and datname = current_database()`)
      expect(open.rows.length).toBe(4)
    })
    for (const wrong of ['0', '101', '-1', 'ten']) {
      const { code, output } = await runExample({ PORT: '0', DATA_DIR: '/nonexistent', DATABASE_POOL_SIZE: wrong })
      expect([code, output]).toEqual([1, expect.stringContaining('  - DATABASE_POOL_SIZE must be a number')])
    }
  }, 30_000)

  test('is healthy although its tables have further columns that nobody writes', async () => {
    const url = await newDatabase()
    const example = await start(url)
    await asSuperuser(url, async (client) => {
      for (const table of ['users', 'federated_credentials', 'sessions', 'callback_slots']) {
        await client.query(`alter table ${table} add column number bigint generated always as identity,
          add column one integer generated always as (1) stored`)
      }
    })
    expect(await health(example)).toBe(200)
    expect(await newVisitor('1').signIn(example.appURL)).toBe('/profile')
  }, 10_000)
})
