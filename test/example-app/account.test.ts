import { FakeProvider, providerNavigation } from '../../lib/testing'
import type { RunningExample } from '../support/example/example-app'
import { useExamples } from '../support/example/use-examples'
import { providerEnvironment, registerExample, type Visitor } from '../support/example/visitor'

describe('an account of the example', () => {
  const examples = useExamples('all tests')
  let example: RunningExample
  let ada: Visitor

  const reload = async (): Promise<string> => {
    const { location } = await ada.submit(`${example.appURL}/profile/reload`)
    return (await ada.browser.follow(`${example.appURL}${location}`)).body
  }

  beforeAll(async () => {
    example = await examples.start()
  })

  beforeEach(async () => {
    const { user_id } = examples.provider.addUser({ user_firstname: 'Ada', user_lastname: 'Test' })
    ada = examples.visitor(user_id)
    await ada.signIn(example.appURL)
  })

  test('a page from before someone else signed in to this browser changes nothing of their account', async () => {
    const account = String((await ada.whoAmI(example.appURL))?.['account'])
    await ada.submit(`${example.appURL}/logout`)

    const phone = examples.visitor('2')
    await phone.signIn(example.appURL)
    await ada.begin(example.appURL)
    await ada.comeBack(example.appURL, examples.newKey('2'))
    await ada.confirm(example.appURL)
    for (const fields of [{ account }, {}]) {
      const pressed = await ada.submit(`${example.appURL}/account/sign-out-everywhere`, fields)
      expect(pressed.location).toBe('/account?notice=other_account')
    }
    expect((await phone.whoAmI(example.appURL))?.['id']).toBe('2')
    const notice = await ada.browser.follow(`${example.appURL}/account?notice=other_account`)
    expect(notice.body).toContain('Someone else has signed in to this browser')
    expect(await ada.signOutEverywhere(example.appURL)).toBe('/login?reason=signed_out_everywhere')
    expect(await phone.whoAmI(example.appURL)).toBeUndefined()
  })

  test('a user who signed in as someone else meanwhile gets no login added', async () => {
    await ada.submit(`${example.appURL}/account/link`)
    const key = examples.newKey('3')
    await ada.submit(`${example.appURL}/logout`)
    expect((await ada.comeBack(example.appURL, key)).location).toBe('/login?reason=user_changed')
  })

  test('a link that fails is said on the account page', async () => {
    await ada.submit(`${example.appURL}/account/link`)
    expect((await ada.comeBack(example.appURL, 'a-guess')).location).toBe('/account?notice=auth_key_rejected')
    expect((await ada.browser.follow(`${example.appURL}/account?notice=auth_key_rejected`)).body).toContain(
      'did not confirm',
    )
  })

  test('reloads the profile with the token of the login', async () => {
    examples.provider.updateUser(ada.userID, { user_firstname: 'Augusta <Ada>' })
    const page = await reload()
    expect(page).toContain('Augusta &lt;Ada&gt; Test')
    expect(page).toContain('Your profile has been reloaded from the provider.')
  })

  test('does not send the token of a login to a provider that has replaced its own', async () => {
    await using successor = await FakeProvider.start()
    const changed = await examples.start(providerEnvironment(successor, registerExample(successor)))
    const { location } = await ada.submit(`${changed.appURL}/profile/reload`)
    const { body } = await ada.browser.follow(`${changed.appURL}${location}`)
    expect(successor.requests).toStrictEqual([])
    expect(body).toContain('This login is from another provider')
  })

  test('says when the token has expired, and when the provider has been asked too often', async () => {
    examples.provider.failNext('user/me', { status: 429, headers: { 'retry-after': '120' } })
    expect(await reload()).toContain('Please try again in 2 minutes.')
    examples.provider.clock.advance(25 * 60 * 60 * 1000)
    expect(await reload()).toContain('Sign in again to renew it.')
    expect((await ada.whoAmI(example.appURL))?.['id']).toBe(ada.userID)
  })

  test('colours its notices by kind', async () => {
    const kindOf = async (path: string): Promise<string> => {
      const { body } = await ada.browser.follow(`${example.appURL}${path}`)
      return /class="notice (\w+)" role="status"/.exec(body)?.[1] ?? 'none'
    }
    const codes = ['linked', 'not_linked', 'taken', 'last_login', 'auth_key_rejected', 'unheard_of']
    const kinds = await Promise.all(codes.map((code) => kindOf(`/account?notice=${code}`)))
    expect(kinds).toStrictEqual(['success', 'hint', 'problem', 'problem', 'problem', 'problem'])
    expect(await kindOf('/account')).toBe('none')
  })

  test('accepts forms of its own pages from browsers that send nothing but a Referer', async () => {
    const headers = { referer: `${example.appURL}/profile` }
    const answer = await ada.browser.request(`${example.appURL}/profile/reload`, { method: 'POST', headers })
    expect(answer.location).toBe('/profile?notice=reloaded')
  })

  const ofAccount = ['/account/link', '/account/unlink', '/account/sign-out-everywhere']
  test.each(['/logout', '/login/confirm', '/profile/reload', ...ofAccount])(
    'takes no %s from another site',
    async (path) => {
      const foreign = [
        { ...providerNavigation },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: example.appURL.replace('http:', 'https:') },
        { referer: 'https://evil.example/' },
        { referer: `${example.appURL}@evil.example/` },
        { referer: 'about:blank' },
      ]
      for (const headers of foreign) {
        const { status } = await ada.browser.request(`${example.appURL}${path}`, { method: 'POST', headers })
        expect(status).toBe(403)
      }
      expect((await ada.whoAmI(example.appURL))?.['id']).toBe(ada.userID)
    },
  )
})
