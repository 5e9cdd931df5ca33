import { sameOriginNavigation } from '../../lib/testing'
import type { RunningExample } from '../support/example/example-app'
import { useExamples } from '../support/example/use-examples'
import type { Visitor } from '../support/example/visitor'

describe('a login of the example', () => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let ada: Visitor

  beforeAll(async () => {
    example = await examples.start()
  })
  beforeEach(() => {
    ada = examples.visitor()
  })

  test('redirects to where the user was going, and returns who they are', async () => {
    const wall = await ada.browser.follow(`${example.appURL}/account`, { headers: { accept: 'text/html' } })
    expect(wall.location).toBe('/login?returnTo=%2Faccount')
    await ada.begin(example.appURL, { returnTo: '/account' })
    await ada.comeBack(example.appURL)
    expect(await ada.confirm(example.appURL)).toBe('/account')
    expect(await ada.whoAmI(example.appURL)).toEqual({
      provider: examples.provider.baseURL,
      id: '1',
      account: expect.any(String),
      displayName: 'Ada Lovelace',
      username: 'ada',
      emails: [{ value: 'ada@people.example' }],
      photos: [{ value: expect.stringContaining(examples.provider.origin) }],
      coverPhoto: expect.stringContaining(examples.provider.origin),
      gender: 'female',
      birthday: '1815-12-10',
      badge: true,
    })
  })

  test('a login that was not finished is mentioned on the login page, and still ends where it was going', async () => {
    const login = `${example.appURL}/login`
    const words = 'You did not finish signing in.'
    expect((await ada.browser.follow(login)).body).not.toContain(words)
    await ada.begin(example.appURL, { returnTo: '/account' })
    const page = await ada.browser.follow(login)
    expect(page.body).toContain(words)
    expect(page.body).toContain('<input type="hidden" name="returnTo" value="/account">')
    expect(page.headers['set-cookie']).toBeUndefined()
    expect(await ada.whoAmI(example.appURL)).toBeUndefined()
    expect((await ada.browser.follow(`${login}?reason=auth_key_missing`)).body).not.toContain(words)
    await ada.begin(example.appURL, { returnTo: '/account' })
    await ada.comeBack(example.appURL)
    expect(await ada.confirm(example.appURL)).toBe('/account')
    await ada.submit(`${example.appURL}/logout`)
    expect((await ada.browser.follow(login)).body).not.toContain(words)
  })

  test('shows no page before its user has confirmed it, and nothing for "Not me"', async () => {
    const newcomer = examples.visitor(examples.provider.addUser({ user_firstname: 'Mallory' }).user_id)
    await newcomer.begin(example.appURL)
    await newcomer.comeBack(example.appURL)
    for (const path of ['/', '/profile', '/account', '/no-such-page']) {
      expect((await newcomer.browser.follow(`${example.appURL}${path}`)).location).toBe('/login/confirm')
    }
    expect((await newcomer.submit(`${example.appURL}/profile/reload`, {})).location).toBe('/login/confirm')
    const page = await newcomer.browser.follow(`${example.appURL}/login/confirm`)
    expect(page.body).toContain('Mallory')
    expect(await newcomer.confirm(example.appURL, 'not-me')).toBe('/login?reason=not_me')
    expect(await newcomer.confirm(example.appURL)).toBe('/login?reason=confirm_expired')
    expect(await newcomer.whoAmI(example.appURL)).toBeUndefined()
  })

  test('a double click on "Continue" signs in all the same', async () => {
    for (let round = 0; round < 10; round++) {
      const visitor = examples.visitor('2')
      await visitor.begin(example.appURL)
      await visitor.comeBack(example.appURL)
      const answers = await Promise.all([visitor.confirm(example.appURL), visitor.confirm(example.appURL)])
      expect(answers).toContain('/profile')
      expect((await visitor.whoAmI(example.appURL))?.['id']).toBe('2')
    }
  })

  test('asks once in a browser, and again in another', async () => {
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    await ada.submit(`${example.appURL}/logout`)
    expect(await ada.whoAmI(example.appURL)).toBeUndefined()
    await ada.begin(example.appURL)
    expect((await ada.comeBack(example.appURL)).location).toBe('/profile')
    const elsewhere = examples.visitor('1')
    await elsewhere.begin(example.appURL)
    expect((await elsewhere.comeBack(example.appURL)).location).toBe('/login/confirm')
  })

  test('ids beyond 2^53 and equal e-mail addresses stay two users', async () => {
    const ids = ['9007199254740992', '9007199254740993']
    examples.provider.addUser({ user_id: ids[0] ?? '', user_email: 'grace@people.example' })
    const accounts = []
    for (const id of ids) {
      const visitor = examples.visitor(id)
      await visitor.signIn(example.appURL)
      const me = await visitor.whoAmI(example.appURL)
      expect(me?.['id']).toBe(id)
      accounts.push(me?.['account'])
    }
    expect(new Set(accounts).size).toBe(2)
  })

  test.each([
    ['provider_unavailable', { status: 503 }],
    ['provider_bad_response', { body: '<html>' }],
    ['auth_key_rejected', { body: '{"error":true}' }],
    ['provider_rate_limited', { status: 429 }],
    ['provider_unreachable', { reset: true }],
  ])('%s is said in words on the login page, and the key leaves the address bar', async (code, fault) => {
    examples.provider.failNext('authorize', fault, { times: code === 'provider_unreachable' ? 2 : 1 })
    await ada.begin(example.appURL)
    const back = await ada.comeBack(example.appURL)
    examples.provider.clearFaults()
    expect([back.status, back.location]).toStrictEqual([303, `/login?reason=${code}`])
    const page = await ada.browser.follow(`${example.appURL}${back.location}`)
    expect(page.body).toMatch(/<p class="notice problem" role="status">The sign-in service .+<\/p>/)
    expect(page.body).not.toContain(code)
  })

  test.each([
    ['authorize', 'provider_unavailable', { status: 503 }],
    ['authorize', 'auth_key_rejected', { body: '{"error":true}' }],
    ['user/me', 'provider_bad_response', { body: '<html>' }],
  ] as const)('a reload of a callback that waits for %s shows the same: %s', async (endpoint, code, fault) => {
    const reloads = async (visitor: Visitor): Promise<string[]> => {
      examples.provider.failNext(endpoint, { ...fault, delay: 200 })
      const key = visitor.newKey()
      const answers = await Promise.all([1, 2, 3].map(() => visitor.comeBack(example.appURL, key)))
      return answers.map(({ location }) => location)
    }
    await ada.begin(example.appURL)
    expect(await reloads(ada)).toEqual(Array(3).fill(`/login?reason=${code}`))
    const grace = examples.visitor('4')
    await grace.signIn(example.appURL)
    await grace.submit(`${example.appURL}/account/link`)
    expect(await reloads(grace)).toEqual(Array(3).fill(`/account?notice=${code}`))
  })

  test('a start that a frame asks for is said in words on the login page', async () => {
    const framed = await ada.browser.request(`${example.appURL}/auth/social-login`, {
      headers: { ...sameOriginNavigation, 'sec-fetch-dest': 'iframe' },
    })
    expect(framed.location).toBe('/login?reason=start_forbidden')
  })
})
