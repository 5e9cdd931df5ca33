import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AuthenticateOptions, Strategy } from '../../../lib'
import type { Keep } from '../../support/app'
import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { settled, until } from '../../support/turns'

const logins = useLogins()

/** What the verify function of a whole login finds at `req.authInfo`. */
async function infoAtVerify(headers: Record<string, string>, start: AuthenticateOptions = {}): Promise<unknown> {
  let seen: unknown
  const app = await logins.startApp({
    start,
    newStrategy: (settings) =>
      new Strategy({ ...settings, passReqToCallback: true }, (req, _accessToken, _refreshToken, { id }) => {
        seen = req.authInfo
        return { id }
      }),
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  expect((await browser.request(app.approvedCallback(), { headers })).status).toBe(200)
  return seen
}

test('the info of a login has all evidence, and nothing of what the start was not given', async () => {
  const before = Date.now()
  const info = Object(await infoAtVerify({ accept: 'text/html', referer: `${logins.provider.origin}/` }))
  const { age } = info.assurance
  expect(info).toStrictEqual({
    assurance: { age, fetchSite: null, startSite: 'same-origin', referer: 'provider', tabBound: false },
  })
  expect(age).toBeGreaterThanOrEqual(0)
  expect(age).toBeLessThanOrEqual(Date.now() - before)
})

test('the info of a login whose callback came to its tab has the site of both requests', async () => {
  const app = await logins.startApp({
    strategy: { tabBinding: true },
    start: { returnTo: '/inbox', state: { cart: 7 } },
  })
  const browser = new Browser()
  const secret = `social_login_tab=${'0123456789abcdef'.repeat(2)}`
  const fromTab = { method: 'POST', headers: { origin: app.origin } } as const
  await browser.follow(`${app.loginURL}?${secret}`, fromTab)
  const { body } = await browser.follow(`${app.approvedCallback()}&${secret}`, fromTab)
  expect(JSON.parse(body).info).toStrictEqual({
    assurance: {
      age: expect.any(Number),
      fetchSite: 'same-origin',
      startSite: 'same-origin',
      referer: 'absent',
      tabBound: true,
    },
    returnTo: '/inbox',
    state: { cart: 7 },
  })
})

// Whoever adds a member to LoginInfo finds here where it must arrive, and makes it appear in these logins.

const read = (file: string): string => readFileSync(join(__dirname, '../../../..', file), 'utf8')
const [, declared = ''] = /interface LoginInfo {([\s\S]*?)\n}/.exec(read('lib/login/context.ts')) ?? []
const members = Array.from(declared.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, name = '']) => name)
const ofEachLogin = members.filter((member) => member !== 'duplicate')

const START = { returnTo: '/inbox', state: { cart: 7 } }

test('the members of LoginInfo are read from its declaration', () => {
  expect(members).toEqual(expect.arrayContaining(['assurance', 'duplicate', 'returnTo', 'state']))
})

test.each<Keep>(['session', 'cookie', 'web'])(
  'each member of LoginInfo reaches the handlers of both callbacks of a double click, the login kept by: %s',
  async (keep) => {
    let callbacks = 0
    const app = await logins.startApp({
      keep,
      start: START,
      before: (express) =>
        express.use('/callback', (_req, _res, next) => {
          callbacks += 1
          next()
        }),
    })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const callback = app.approvedCallback()
    logins.provider.failNext('authorize', { delay: 250 })
    const both = [browser.comeBack(callback), browser.comeBack(callback)]
    await until(() => callbacks === 2)
    await settled(() => logins.exchanges(), 20)
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    const answers = await Promise.all(both)
    now.mockRestore()
    const infos = answers.map(({ body }) => Object(JSON.parse(body).info))
    const [first, second] = infos.toSorted((one, other) => Number(one.duplicate ?? 0) - Number(other.duplicate ?? 0))
    expect(Object.keys(first).toSorted()).toEqual(ofEachLogin.toSorted())
    expect(Object.keys(second).toSorted()).toEqual(members.toSorted())
    expect({ ...second, assurance: first.assurance }).toEqual({ ...first, duplicate: true })
    // The age of a login ends with its callback, not with the callback that it waits for.
    expect(second.assurance.age).toBeLessThan(60_000)
    expect(first).toMatchObject(START)
  },
)

test('each member of LoginInfo reaches a verify function that gets the request', async () => {
  const info = Object(await infoAtVerify({ accept: 'text/html', referer: `${logins.provider.origin}/` }, START))
  expect(Object.keys(info).toSorted()).toEqual(ofEachLogin.toSorted())
  expect(info).toMatchObject(START)
})

test('what a verify function adds to req.authInfo reaches the handlers, beside the evidence', async () => {
  const app = await logins.startApp({
    newStrategy: (settings) =>
      new Strategy({ ...settings, passReqToCallback: true }, (req, _accessToken, _refreshToken, { id }) => {
        Object.assign(req.authInfo ?? {}, { isNew: true })
        return { id }
      }),
  })
  const { info } = JSON.parse((await app.logIn()).body)
  expect(info).toEqual({ assurance: expect.anything(), isNew: true })
})

test.each(['docs/options.md', 'docs/web.md'])('%s tells of each member of LoginInfo', (page) => {
  const text = read(page)
  expect(members.filter((member) => !new RegExp(`\`(?:[\\w.]+\\.)?${member}\\b`).test(text))).toStrictEqual([])
})
