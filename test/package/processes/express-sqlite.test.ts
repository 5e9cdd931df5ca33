import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeProvider, sameOriginNavigation, signIn } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import { freePort } from '../../support/free-port'
import { makeInstalledProject } from '../../support/installed-project'
import { useLogins } from '../../support/logins'

const root = join(__dirname, '../../../..')
const PAGE = readFileSync(join(root, 'docs/guides/accounts.md'), 'utf8')

/** A project in which the package and what it needs are installed, with the files of the guide, as its commands copy them. */
let folder: string

beforeEach(() => {
  folder = makeInstalledProject('express-sqlite')
  const [, commands = ''] = /^(files=[\s\S]*?)^node --test$/m.exec(PAGE) ?? []
  expect(spawnSync('sh', ['-ec', commands], { cwd: folder, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the application with SQLite passes its own tests', () => {
  // Without the variable by which node:test knows that it runs in another of its tests, and writes no report.
  const env = { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined }
  const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: folder, env, encoding: 'utf8' })
  const tests = readFileSync(join(folder, 'app.test.mjs'), 'utf8').split(/^test\(/m).length - 1
  expect([status, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^. pass ${tests}$`, 'm'))])
})

describe('the application with SQLite, as it is run', () => {
  const logins = useLogins()
  const stops: (() => Promise<unknown>)[] = []

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  function register(provider: FakeProvider, path: string): [string, string] {
    const redirectURL = `http://localhost:3000${path}`
    const { appID, appSecret } = provider.registerApplication({ name: path, redirectURL })
    return [appID, appSecret]
  }

  /** @returns a function that starts it with more variables, and resolves with its address and how it is stopped */
  function application() {
    const [SOCIAL_CLIENT_ID, SOCIAL_CLIENT_SECRET] = register(logins.provider, '/auth/social-login/callback')
    const [LINK_CLIENT_ID, LINK_CLIENT_SECRET] = register(logins.provider, '/account/link/callback')
    const provider = { SOCIAL_BASE_URL: logins.provider.baseURL, SOCIAL_CLIENT_ID, SOCIAL_CLIENT_SECRET }
    return async (more: Record<string, string> = {}) => {
      const port = String(await freePort())
      const own = { PORT: port, SESSION_SECRET: 'for tests', LINK_CLIENT_ID, LINK_CLIENT_SECRET, ...more }
      const env = { PATH: process.env['PATH'], ...provider, ...own }
      const child = spawn(process.execPath, ['app.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      const stop = (): Promise<unknown> => {
        child.kill()
        return ended
      }
      stops.push(stop)
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(([code]) => Promise.reject(new Error(`exit ${code}`))),
      ])
      return { address: `http://localhost:${port}`, stop }
    }
  }

  test('keeps accounts and sessions when it is restarted', async () => {
    const start = application()
    const before = await start()
    const { cookie } = await signIn(before.address, { provider: logins.provider })
    await before.stop()
    const { address } = await start()
    const page = await new Browser().follow(`${address}/account`, { headers: { cookie } })
    expect(page.body).toContain('<h1>Ada Lovelace</h1>')
    const script = await new Browser().request(`${address}/inert-form.mjs`)
    expect(script.headers['content-type']).toContain('javascript')
  })

  test('sets a cookie for https alone if its public address is one', async () => {
    const { address } = await application()({ ORIGIN: 'https://app.example' })
    const start = `${address}/auth/social-login`
    const headers = { ...sameOriginNavigation, 'x-forwarded-proto': 'https' }
    const { status, headers: received } = await new Browser().request(start, { headers })
    expect([status, received['set-cookie']]).toEqual([302, expect.stringMatching(/^__Host-session=.*; Secure; /)])
  })

  test('a write that finds the database locked is an error, and all later ones are there for others', async () => {
    const code = `
      import Database from 'libsql'
      import { openAccounts } from './accounts.mjs'
      import { SessionStore } from './sessions.mjs'
      const accounts = openAccounts('race.db')
      const store = new SessionStore('race.db')
      const other = new Database('race.db')
      const save = (id) => new Promise((resolve) => store.set(id, { cookie: {} }, (error) => resolve(error?.code ?? 'ok')))
      const login = (subject) => ({ provider: 'p', subject })
      const user = await accounts.findOrCreate({ provider: 'p', id: '1', displayName: 'Ada' })
      const before = await save('one')
      other.exec('begin immediate')
      const locked = await accounts.addLogin(user.id, login('2')).catch(({ code }) => code)
      const results = [before, locked, await save('two')]
      other.exec('commit')
      await accounts.deleteUser(user.id)
      store.destroy('one')
      const count = (what) => other.prepare('select count(*) as count from ' + what).get().count
      console.log(JSON.stringify([...results, count('users'), count('sessions where data is not null')]))`
    writeFileSync(join(folder, 'race.mjs'), code)
    const { stdout, stderr } = spawnSync(process.execPath, ['race.mjs'], { cwd: folder, encoding: 'utf8' })
    expect([stderr, JSON.parse(stdout)]).toStrictEqual(['', ['ok', 'SQLITE_BUSY', 'SQLITE_BUSY', 0, 0]])
  })

  test('a removed login ends the other sessions of its user, unless it was the last', async () => {
    copyFileSync(join(root, 'test/package/docs/express-sqlite/removing.mjs'), join(folder, 'removing.mjs'))
    const code = `
      import { accounts, deleteUser, removeLogin, sessions } from './removing.mjs'
      const login = (subject) => ({ provider: 'p', subject })
      const { id } = await accounts.findOrCreate({ provider: 'p', id: '1', displayName: 'Ada' })
      for (const each of ['here', 'there']) sessions.set(each, { cookie: {}, passport: { user: id } })
      const read = (each) => new Promise((resolve) => sessions.get(each, (_error, found) => resolve(found !== null)))
      const both = async () => [await read('here'), await read('there')]
      const last = await removeLogin(id, login('1'), 'here')
      const before = await both()
      await accounts.addLogin(id, login('2'))
      const removed = await removeLogin(id, login('1'), 'here')
      const after = await both()
      await deleteUser(id)
      console.log(JSON.stringify([last, before, removed, after, (await accounts.find(id)) ?? null]))`
    writeFileSync(join(folder, 'remove.mjs'), code)
    const { stdout, stderr } = spawnSync(process.execPath, ['remove.mjs'], { cwd: folder, encoding: 'utf8' })
    expect([stderr, JSON.parse(stdout)]).toStrictEqual(['', [false, [true, true], true, [true, false], null]])
  })

  test('an ended session is not saved again by a request that was slower, and an unfinished login ends', async () => {
    const code = `
      import { writeFileSync } from 'node:fs'
      import session from 'express-session'
      import { SessionStore } from './sessions.mjs'
      const store = new SessionStore(':memory:')
      const call = (name, ...args) => new Promise((resolve, reject) =>
        store[name](...args, (error, result) => (error ? reject(error) : resolve(result ?? null))))
      const signedIn = (user) => ({ cookie: {}, passport: { user } })
      for (const id of ['here', 'there', 'third']) await call('set', id, signedIn('ada'))
      await call('set', 'alan', signedIn('alan'))
      store.endOthers('ada', 'here')
      await call('destroy', 'alan')
      for (const [id, user] of [['there', 'ada'], ['alan', 'alan']]) await call('set', id, signedIn(user))
      await call('set', 'anonymous', { cookie: {} })
      const users = async () => Promise.all(['here', 'there', 'third', 'alan', 'anonymous'].map(async (id) =>
        (await call('get', id))?.passport?.user ?? ((await call('get', id)) && 'none')))
      const before = await users()
      const { now } = Date
      Date.now = () => now() + 61 * 60 * 1000
      const afterAnHour = await users()
      Date.now = () => now() + 15 * 24 * 60 * 60 * 1000
      console.log(JSON.stringify({ before, afterAnHour, later: await users() }))`
    writeFileSync(join(folder, 'store.mjs'), code)
    const { stdout, stderr } = spawnSync(process.execPath, ['store.mjs'], { cwd: folder, encoding: 'utf8' })
    expect([stderr, JSON.parse(stdout)]).toStrictEqual([
      '',
      {
        before: ['ada', null, null, null, 'none'],
        afterAnHour: ['ada', null, null, null, null],
        later: [null, null, null, null, null],
      },
    ])
  })
})
