import type { FreshStorage, TestStorage } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'

const SESSIONS = 'select data, expires_at from sessions'

export function testSessions(fresh: FreshStorage): void {
  const examples = useExamples('all tests')
  const { visitor } = examples
  let storage: TestStorage
  let appURL: string

  beforeAll(async () => {
    storage = await fresh()
    appURL = (await examples.start(storage.environment)).appURL
  })

  beforeEach(() => storage.rows('delete from sessions'))

  const profileWith = async (cookie: string): Promise<number> =>
    (await visitor().browser.request(`${appURL}/profile`, { headers: { accept: 'application/json', cookie } })).status

  test('a sign-out without a user leaves no session, and does not end a login that is under way', async () => {
    for (let count = 0; count < 5; count++) {
      const answer = await visitor().submit(`${appURL}/logout`)
      expect([answer.status, answer.location]).toStrictEqual([303, '/login?reason=signed_out'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(await storage.rows(SESSIONS)).toStrictEqual([])
    const ada = visitor()
    await ada.begin(appURL)
    await ada.submit(`${appURL}/logout`)
    expect((await ada.comeBack(appURL)).location).toBe('/login/confirm')
  })

  test('a sign-out ends the session for good and starts no other; the browser forgets its cookie', async () => {
    for (let round = 0; round < 10; round++) {
      const ada = visitor()
      await ada.signIn(appURL)
      const cookie = await ada.browser.cookies(appURL)
      const [out] = await Promise.all([ada.submit(`${appURL}/logout`), ada.submit(`${appURL}/account/link`)])
      expect(String(out.headers['set-cookie'])).toMatch(/^example-session=; Path=\/; Expires=Thu, 01 Jan 1970/)
      expect(await profileWith(cookie)).toBe(401)
    }
    const rows = await storage.rows(SESSIONS)
    const inTwoHours = Date.now() + 2 * 60 * 60 * 1000
    // A start that found the session ended may have created a visitor's own.
    for (const { expires_at } of rows) expect(Number(expires_at)).toBeLessThan(inTwoHours)
    expect(rows.filter(({ data }) => String(data).includes('passport'))).toStrictEqual([])
  })

  test('a login ends the session with which its browser came', async () => {
    const person = visitor()
    await person.signIn(appURL)
    const before = await person.browser.cookies(appURL)
    expect(await profileWith(before)).toBe(200)
    expect(await person.signIn(appURL)).toBe('/profile')
    expect(await profileWith(before)).toBe(401)
    expect(await profileWith(await person.browser.cookies(appURL))).toBe(200)
  })

  test('a session that cannot be read, as one of another version, is none: the user signs in again', async () => {
    const ada = visitor()
    for (const data of ['{', 'null', '"text"', '[]', '{}', '{"cookie":null}']) {
      await ada.signIn(appURL)
      await storage.rows(`update sessions set data = '${data}' where user_id is not null returning id`)
      expect([data, await ada.whoAmI(appURL)]).toStrictEqual([data, undefined])
      expect([data, await ada.signIn(appURL)]).toStrictEqual([data, '/profile'])
    }
  })

  test('a database that fails while a question is saved leaves no one signed in without it', async () => {
    await storage.rows(triggerOf(storage))
    const ada = visitor()
    await ada.begin(appURL)
    expect((await ada.comeBack(appURL)).location).toBe('/login?reason=failed_here')
    await storage.rows(`drop trigger full_disk${isPostgres(storage) ? ' on sessions' : ''}`)
    expect((await ada.browser.follow(`${appURL}/profile`)).location).toMatch(/^\/login/)
    expect((await ada.browser.follow(`${appURL}/account`)).location).toMatch(/^\/login/)
    expect(await ada.whoAmI(appURL)).toBeUndefined()
    expect(await ada.signIn(appURL)).toBe('/profile')
  })
}

function isPostgres({ environment }: TestStorage): boolean {
  return environment['DATABASE_URL'] !== undefined
}

/** Refuses to save a session that has a question in it. */
function triggerOf(storage: TestStorage): string {
  const condition = `new.data like '%"unconfirmed"%'`
  if (!isPostgres(storage)) {
    return `create trigger full_disk before insert on sessions when ${condition}
      begin select raise(abort, 'disk full'); end`
  }
  return `create function refuse() returns trigger language plpgsql as 'begin raise exception ''disk full''; end';
    create trigger full_disk before insert or update on sessions for each row when (${condition}) execute function refuse()`
}
