import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'pg'
import { OUTCOMES } from '../../../lib'
import type { Application } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import { freePort } from '../../support/free-port'
import { useLogins } from '../../support/logins'
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres'

const FOLDER = join(__dirname, '../../../../test/package/docs/express-postgres')
const APP = join(FOLDER, 'app.mjs')
const DOCKERFILE = join(__dirname, '../../../../docs/files/Dockerfile')
const START = '/auth/social-login?returnTo=/'
const CALLBACK = '/auth/social-login/callback'

interface Process {
  readonly origin: string
  /** @returns the exit code */
  stop(): Promise<number | null>
}

/** What a Dockerfile says about the process. */
interface Image {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What docs/guides/removing.md adds. */
interface Removing {
  removeLogin(userID: string, login: { provider: string; subject: string }, sessionID: string): Promise<boolean>
  deleteUser(userID: string): Promise<void>
}

/** The file of docs/files/express-postgres.mjs as two processes on one database. */
describeWithPostgres('the application with Postgres of docs/guides/accounts.md', () => {
  const logins = useLogins()
  const processes: Process[] = []
  const postgres = useCluster()
  let database: string
  let application: Application

  beforeEach(async () => {
    database = await postgres().createDatabase(`app_${process.hrtime.bigint()}`)
    const redirectURL = `http://localhost:3000${CALLBACK}`
    application = logins.provider.registerApplication({ name: 'Guide', redirectURL })
  })
  afterEach(async () => {
    for (const running of processes.splice(0)) await running.stop()
  })

  async function start(drainSeconds = 0, image: Image = { command: ['node', APP], env: {} }): Promise<Process> {
    const port = await freePort()
    const [command = '', ...args] = image.command
    const child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd: FOLDER,
      env: {
        ...image.env,
        PATH: process.env['PATH'],
        PORT: String(port),
        DRAIN_SECONDS: String(drainSeconds),
        DATABASE_URL: database,
        SESSION_SECRET: 'a secret of the test',
        LOGIN_COOKIE_KEY: 'a key of the test of 32 characters',
        CALLBACK_URL: application.redirectURL,
        SOCIAL_BASE_URL: logins.provider.baseURL,
        SOCIAL_CLIENT_ID: application.appID,
        SOCIAL_CLIENT_SECRET: application.appSecret,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(child, 'exit').then(() => child.exitCode)
    const stop = (): Promise<number | null> => {
      child.kill()
      return exited
    }
    const running = { origin: `http://localhost:${port}`, stop }
    processes.push(running)
    await Promise.race([once(child.stdout, 'data'), exited.then((code) => Promise.reject(new Error(`exit ${code}`)))])
    return running
  }
  const startTwo = (): Promise<[Process, Process]> => Promise.all([start(), start()])
  const newKey = (userID = '1'): string => logins.provider.issueAuthKey({ appID: application.appID, userID })
  const comeBack = (browser: Browser, { origin }: Process, key: string) =>
    browser.comeBack(`${origin}${CALLBACK}?auth_key=${key}`)
  const home = async (browser: Browser, { origin }: Process, query = '') =>
    (await browser.follow(`${origin}/${query}`)).body

  test('signs a person in who starts at one process and comes back at the other, and out again', async () => {
    const [one, other] = await startTwo()
    const ada = new Browser()
    expect((await ada.follow(one.origin + START)).location).toContain('/api/oauth?app_id=')
    expect((await comeBack(ada, other, newKey())).location).toBe('/')
    for (const running of [one, other]) expect(await home(ada, running)).toContain('Hello Ada Lovelace')
    expect((await ada.follow(`${one.origin}/logout`, { method: 'POST' })).location).toBe('/')
    expect(await home(ada, other)).toContain('Sign in')
  })

  test('keeps accounts and sessions when it is restarted, and stops with 0', async () => {
    const before = await start()
    const ada = new Browser()
    await ada.follow(before.origin + START)
    await comeBack(ada, before, newKey())
    expect(await before.stop()).toBe(0)
    expect(await home(ada, await start())).toContain('Hello Ada Lovelace')
  })

  test('says that it is stopping, and answers until the balancer has seen it', async () => {
    const running = await start(1)
    const stopped = running.stop()
    const health = async (): Promise<number> => (await new Browser().request(`${running.origin}/healthz`)).status
    while ((await health()) === 200) await new Promise((resolve) => setImmediate(resolve))
    expect(await health()).toBe(503)
    expect(await home(new Browser(), running)).toContain('Sign in')
    expect(await stopped).toBe(0)
  })

  test.each<[string, 'GET' | 'POST']>([
    [START, 'GET'],
    ['/logout', 'POST'],
  ])('keeps nothing of visitors who only ask for %s, whatever headers they have', async (path, method) => {
    const running = await start()
    for (let count = 0; count < 5; count++)
      expect((await new Browser().follow(running.origin + path, { method })).status).toBe(302)
    const pool = new Pool({ connectionString: database })
    expect((await pool.query('select count(*)::int from session')).rows).toStrictEqual([{ count: 0 }])
    await pool.end()
  })

  test('makes one account of simultaneous first logins of one person', async () => {
    const both = await startTwo()
    const browsers = Array.from({ length: 8 }, () => new Browser())
    await Promise.all(browsers.map((browser, index) => browser.follow((both[index % 2]?.origin ?? '') + START)))
    const back = browsers.map((browser, index) => comeBack(browser, both[index % 2] ?? both[0], newKey()))
    for (const { location } of await Promise.all(back)) expect(location).toBe('/')
    for (const browser of browsers) expect(await home(browser, both[0])).toContain('Hello Ada Lovelace')
  })

  test('tells people why a login failed, and nothing else that is in the address', async () => {
    const running = await start()
    const visitor = new Browser()
    await visitor.follow(running.origin + START)
    const { location } = await comeBack(visitor, running, 'a-guess')
    expect(location).toBe('/?reason=auth_key_rejected')
    expect(await home(visitor, running, location.slice(1))).toContain(OUTCOMES.auth_key_rejected.message)
    expect(await home(visitor, running, '?reason=constructor')).toContain('<p></p>')
    await visitor.follow(running.origin + START)
    logins.provider.failNext('authorize', { status: 503 })
    expect((await comeBack(visitor, running, newKey())).location).toBe('/?reason=provider_unavailable')
    expect((await visitor.request(`${running.origin}/healthz`)).status).toBe(200)
  })

  test('is reachable from outside a container of the Dockerfile, and stops at its signal', async () => {
    const lines = readFileSync(DOCKERFILE, 'utf8')
    const env = Object.fromEntries(Array.from(lines.matchAll(/^ENV (\w+)=(.*)$/gm), ([, name, value]) => [name, value]))
    const command: string[] = JSON.parse(/^CMD (.*)$/m.exec(lines)?.[1] ?? '[]')
    const copied = Array.from(lines.matchAll(/^COPY (.*) \.\/$/gm), ([, files]) => files)
    expect(copied).toStrictEqual(['package.json package-lock.json', command[1]])
    // An address of this machine that is not that of `localhost`.
    const outside = ({ origin }: Process): Promise<number> =>
      new Browser().request(`${origin.replace('localhost', '127.0.0.2')}/healthz`).then(({ status }) => status)
    await expect(outside(await start())).rejects.toThrow('ECONNREFUSED')
    const container = await start(0, { command, env })
    expect(await outside(container)).toBe(200)
    expect(await container.stop()).toBe(0)
  })

  describe('with what the guide "Removing a login, deleting an account" adds', () => {
    const login = (subject: string) => ({ provider: 'social-login', subject })
    let pool: Pool
    let removing: Removing
    let running: Process
    let userID: string

    /** Ada is signed in in these browsers, and has linked another login. */
    async function signIn(...browsers: Browser[]): Promise<void> {
      for (const browser of browsers) {
        await browser.follow(running.origin + START)
        expect((await comeBack(browser, running, newKey())).location).toBe('/')
      }
      userID = (await pool.query('select id from users')).rows[0].id
      await pool.query("insert into federated_credentials values ('social-login', '2', $1)", [userID])
    }
    const sessionOf = async (browser: Browser): Promise<string> => {
      const cookie = decodeURIComponent(await browser.cookies(running.origin))
      return /session=s:([^.]+)\./.exec(cookie)?.[1] ?? 'none'
    }
    const subjects = async (): Promise<string[]> =>
      (await pool.query('select subject from federated_credentials order by 1')).rows.map(({ subject }) => subject)

    beforeEach(async () => {
      running = await start()
      pool = new Pool({ connectionString: database })
      removing = jest.requireActual(join(FOLDER, 'removing.js')).removing(pool)
    })
    afterEach(() => pool.end())

    test('a login is removed, and the other browsers are signed out', async () => {
      const [ada, elsewhere] = [new Browser(), new Browser()]
      await signIn(ada, elsewhere)
      expect(await removing.removeLogin('999', login('1'), '')).toBe(false)
      expect(await home(elsewhere, running)).toContain('Hello')
      expect(await removing.removeLogin(userID, login('1'), await sessionOf(ada))).toBe(true)
      expect(await home(ada, running)).toContain('Hello')
      expect(await home(elsewhere, running)).toContain('Sign in')
      expect(await removing.removeLogin(userID, login('2'), '')).toBe(false)
      expect(await subjects()).toStrictEqual(['2'])
    })

    test('of two removals at once one login stays', async () => {
      await signIn(new Browser())
      // The danger: without the lock each sees the login that the other removes.
      const naive = (subject: string) => `delete from federated_credentials where subject = '${subject}' and exists
        (select from federated_credentials where subject <> '${subject}')`
      const [one, two] = [await pool.connect(), await pool.connect()]
      for (const client of [one, two]) await client.query('begin')
      await one.query(naive('1'))
      await two.query(naive('2'))
      for (const client of [one, two]) await client.query('commit')
      for (const client of [one, two]) client.release()
      expect(await subjects()).toStrictEqual([])

      for (let round = 0; round < 20; round++) {
        await pool.query('delete from federated_credentials')
        const rows = "insert into federated_credentials values ('social-login', '1', $1), ('social-login', '2', $1)"
        await pool.query(rows, [userID])
        const removals = ['1', '2'].map((subject) => removing.removeLogin(userID, login(subject), ''))
        expect((await Promise.all(removals)).sort()).toStrictEqual([false, true])
        expect(await subjects()).toHaveLength(1)
      }
    })

    test('a deleted account is gone with its logins and sessions, and its person is new at the next login', async () => {
      const ada = new Browser()
      await signIn(ada)
      await removing.deleteUser(userID)
      expect(await home(ada, running)).toContain('Sign in')
      for (const table of ['users', 'federated_credentials', 'session'])
        expect((await pool.query(`select from ${table}`)).rowCount).toBe(0)
      await ada.follow(running.origin + START)
      await comeBack(ada, running, newKey())
      expect(await home(ada, running)).toContain('Hello Ada Lovelace')
      expect((await pool.query('select id from users')).rows[0].id).not.toBe(userID)
    })
  })
})
