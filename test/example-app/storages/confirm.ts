import { randomUUID } from 'node:crypto'
import type { FreshStorage, TestStorage } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'

const ADA = '1'
const ALAN = '2'
const GRACE = '3'

export function testConfirmation(fresh: FreshStorage): void {
  const examples = useExamples('all tests')
  let storage: TestStorage
  let appURL: string
  let other: string

  const visitor = (userID = ADA): Visitor => examples.visitor(userID)
  const signedIn = async (userID = ADA): Promise<Visitor> => {
    const person = visitor(userID)
    expect(await person.signIn(appURL)).toBe('/profile')
    return person
  }
  const ask = async (person: Visitor, userID = person.userID): Promise<string> => {
    await person.begin(appURL)
    expect((await person.comeBack(appURL, examples.newKey(userID))).location).toBe('/login/confirm')
    return person.question(appURL)
  }
  const askToLink = async (person: Visitor, userID: string): Promise<string> => {
    await person.submit(`${appURL}/account/link`)
    expect((await person.comeBack(appURL, examples.newKey(userID))).location).toBe('/login/confirm')
    return person.question(appURL)
  }
  const accountOf = async (person: Visitor): Promise<unknown> => (await person.whoAmI(appURL))?.['account']
  const users = async (): Promise<number> => (await storage.rows('select id from users')).length
  const start = async (): Promise<string> => (await examples.start(storage.environment)).appURL

  beforeAll(async () => {
    storage = await fresh()
    appURL = await start()
    other = await start()
  })

  beforeEach(async () => {
    await storage.rows('delete from federated_credentials')
    await storage.rows('delete from users')
  })

  test('a name that continues like the address and ID of someone else is cut, and marks do not cover other lines', async () => {
    const long = { user_firstname: 'Ada', user_lastname: `Lovelace ${'.'.repeat(20)} ada@people.example ID 1` }
    for (const fields of [long, { user_firstname: `Z${'\u0301'.repeat(100)}` }]) {
      const person = visitor(examples.provider.addUser(fields).user_id)
      await ask(person)
      const [, button = ''] =
        /value="continue">(.*?)</s.exec((await person.browser.follow(`${appURL}/login/confirm`)).body) ?? []
      expect(button).toMatch(/^Continue as /)
      expect(button.length).toBeLessThan(50)
    }
  })

  test('the button of an older tab does not confirm the login of a newer one', async () => {
    const person = visitor()
    const aboutAda = await ask(person, ADA)
    const aboutAlan = await ask(person, ALAN)
    // The danger: without the id, the press on "Continue as Ada" is an answer about Alan.
    expect((await person.browser.follow(`${appURL}/login/confirm`)).body).toContain('Continue as Alan Turing')

    for (const decision of ['continue', 'not-me']) {
      for (const stale of [aboutAda, '', randomUUID(), aboutAlan.toUpperCase()]) {
        expect(await person.answer(appURL, stale, decision)).toBe('/login/confirm?notice=other_question')
      }
      const bare = await person.submit(`${appURL}/login/confirm`, { decision })
      expect(bare.location).toBe('/login/confirm?notice=other_question')
    }
    const page = await person.browser.follow(`${appURL}/login/confirm?notice=other_question`)
    expect(page.body).toContain('You answered an earlier question, so nothing was changed.')
    expect(page.body).toContain('Continue as Alan Turing')
    expect((await person.browser.follow(`${appURL}/profile`)).location).toBe('/login/confirm')
    expect(await users()).toBe(0)

    expect(await person.answer(appURL, aboutAlan, 'continue')).toBe('/profile')
    expect((await person.whoAmI(appURL))?.['id']).toBe(ALAN)
  })

  test('the button of one link does not link the login of another', async () => {
    const ada = await signedIn()
    const aboutAlan = await askToLink(ada, ALAN)
    const aboutGrace = await askToLink(ada, GRACE)
    expect(await ada.answer(appURL, aboutAlan, 'continue')).toBe('/login/confirm?notice=other_question')
    expect((await ada.browser.follow(`${appURL}/account`)).body).not.toMatch(/<code>[23]<\/code>/)
    expect(await ada.answer(appURL, aboutGrace, 'continue')).toBe('/account?notice=linked')
    const page = await ada.browser.follow(`${appURL}/account`)
    expect(page.body.match(/<code>\d<\/code>/g)?.sort()).toStrictEqual(['<code>1</code>', '<code>3</code>'])
  })

  test('a program reads who is signed in before the question is answered, and "Not me" frees the login', async () => {
    const person = visitor()
    const question = await ask(person)
    expect(await person.whoAmI(appURL)).toMatchObject({ id: ADA, account: expect.any(String) })
    const opened = () => storage.rows('select id from federated_credentials where unconfirmed_user_id is not null')
    expect(await opened()).toHaveLength(1)
    expect(await person.answer(appURL, question, 'not-me')).toBe('/login?reason=not_me')
    expect(await person.whoAmI(appURL)).toBeUndefined()
    expect([await opened(), await users()]).toStrictEqual([[], 0])

    const alan = await signedIn(ALAN)
    expect(await alan.answer(appURL, await askToLink(alan, ADA), 'continue')).toBe('/account?notice=linked')
    const ada = await signedIn()
    expect(await accountOf(ada)).toBe(await accountOf(alan))
  })

  test('a login that no one has confirmed may be linked; its unanswered browser is signed out then', async () => {
    const undecided = visitor()
    const question = await ask(undecided)
    const alan = await signedIn(ALAN)
    expect(await alan.answer(appURL, await askToLink(alan, ADA), 'continue')).toBe('/account?notice=linked')
    expect(await undecided.whoAmI(appURL)).toBeUndefined()
    expect(await undecided.answer(appURL, question, 'continue')).toBe('/login?reason=confirm_expired')
    // No page redirects back and forth forever.
    expect((await undecided.browser.follow(`${appURL}/login`)).status).toBe(200)
    expect((await undecided.browser.follow(`${appURL}/`)).status).toBe(200)
    expect(await users()).toBe(1)
  })

  test('an account that was confirmed once stays, whatever another browser answers', async () => {
    const ada = await signedIn()
    const account = await accountOf(ada)
    const elsewhere = visitor()
    expect(await elsewhere.answer(appURL, await ask(elsewhere), 'not-me')).toBe('/login?reason=not_me')
    expect(await accountOf(ada)).toBe(account)
    const alan = await signedIn(ALAN)
    expect(await alan.answer(appURL, await askToLink(alan, ADA), 'continue')).toBe('/account?notice=taken')
    expect(await accountOf(ada)).toBe(account)
  })

  test('pressed at the same time at two processes, one of the two buttons decides: half an account is never left', async () => {
    for (let round = 0; round < 10; round++) {
      const person = visitor(examples.provider.addUser({ user_firstname: `Round ${round}` }).user_id)
      const question = await ask(person)
      const [kept, dropped] = await Promise.all([
        person.answer(appURL, question, 'continue'),
        person.answer(other, question, 'not-me'),
      ])
      const rows = await storage.rows(`select subject from users
        join federated_credentials on user_id = users.id where subject = '${person.userID}'`)
      // The slower one may find the question answered.
      expect(['/login?reason=not_me', '/login?reason=confirm_expired']).toContain(dropped)
      if (kept === '/profile') expect(rows).toStrictEqual([{ subject: person.userID }])
      else expect([kept, rows]).toStrictEqual(['/login?reason=confirm_expired', []])
      expect((await person.browser.follow(`${appURL}/login`)).status).toBeLessThan(400)
    }
    const owners = 'select user_id from federated_credentials where user_id is not null'
    expect(await storage.rows(`select id from users where id not in (${owners})`)).toStrictEqual([])
    expect(await storage.rows(`${owners} and user_id not in (select id from users)`)).toStrictEqual([])
  })

  test('a login that is removed signs out the browsers that came by it, and no others', async () => {
    const ada = await signedIn()
    expect(await ada.answer(appURL, await askToLink(ada, ALAN), 'continue')).toBe('/account?notice=linked')
    const byAlan = await signedIn(ALAN)
    const byAda = await signedIn()
    expect(new Set([await accountOf(ada), await accountOf(byAlan), await accountOf(byAda)]).size).toBe(1)

    const [row] = await storage.rows(`select id from federated_credentials where subject = '${ALAN}'`)
    for (const notice of ['removed', 'no_such_login']) {
      const removed = await ada.submit(`${appURL}/account/unlink`, { login: String(row?.['id']) })
      expect(removed.location).toBe(`/account?notice=${notice}`)
    }
    expect(await byAlan.whoAmI(other)).toBeUndefined()
    expect((await byAlan.browser.follow(`${appURL}/profile`)).location).toContain('/login?returnTo')
    expect((await byAda.whoAmI(other))?.['id']).toBe(ADA)
    expect((await ada.whoAmI(other))?.['id']).toBe(ADA)

    expect(await ada.answer(appURL, await askToLink(ada, GRACE), 'continue')).toBe('/account?notice=linked')
    const [own] = await storage.rows(`select id from federated_credentials where subject = '${ADA}'`)
    const left = await ada.submit(`${appURL}/account/unlink`, { login: String(own?.['id']) })
    expect(left.location).toBe('/login?reason=own_login_removed')
    expect(await ada.whoAmI(appURL)).toBeUndefined()
    expect((await ada.browser.follow(`${appURL}${left.location}`)).body).toContain('The login was removed.')
  })

  const starts = ['/auth/social-login', '/auth/social-login/', '/AUTH/Social-Login?x=1', '/x/../auth/social-login']
  const ownPages = ['/login', '/login/confirm', '/login?returnTo=/login', '/logout', '/auth/social-login/callback']
  test.each([
    ...[...starts, ...ownPages, '/profile?auth_key=x'].map((returnTo) => [returnTo, '/profile']),
    ...['/account', '/login-help?x=1#y', '/authors'].map((returnTo) => [returnTo, returnTo]),
  ])('with the return path %s, "Continue" redirects to %s', async (returnTo = '', path) => {
    const person = visitor()
    await person.begin(appURL, { returnTo })
    await person.comeBack(appURL)
    expect(await person.confirm(appURL)).toBe(path)
  })
}
