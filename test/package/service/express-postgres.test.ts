import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'pg'
import { OUTCOMES } from '../../../lib'
import type { Application } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import { freePort } from '../../support/free-port'
import { useLogins } from '../../support/logins'
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres'

const APP = join(__dirname, '../../../../test/package/docs/express-postgres/app.mjs')
const START = '/auth/social-login?returnTo=/'
const CALLBACK = '/auth/social-login/callback'

interface Process {
  readonly origin: string
  /** @returns the exit code */
  stop(): Promise<number | null>
}

/** The file of docs/guides/express-postgres.md as two processes on one database. */
describeWithPostgres('the application of the guide "Express with Postgres"', () => {
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

  async function start(drainSeconds = 0): Promise<Process> {
    const port = await freePort()
    const child = spawn(process.execPath, [APP], {
      env: {
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
    expect((await pool.query('select count(*)::int from session')).rows).toEqual([{ count: 0 }])
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
})
