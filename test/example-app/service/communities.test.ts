import { FakeProvider } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import { useExamples } from '../../support/example/use-examples'
import { providerEnvironment, registerExample, type Visitor } from '../../support/example/visitor'

describe('an example that gets a second community, and loses it again', () => {
  const examples = useExamples('each test')
  let ada: Visitor
  let second: Readonly<Record<string, string>>
  /** The same user's login at the second community. */
  let there: Visitor

  beforeEach(async () => {
    ada = examples.visitor()
    const chess = examples.stopLater(await FakeProvider.start())
    const application = registerExample(chess, '/auth/social-login-2')
    second = { ...providerEnvironment(chess, application, 'SOCIAL2'), SOCIAL2_NAME: 'Chess Club' }
    there = ada.at(chess, application, '2')
  })
  const link = async (appURL: string): Promise<void> => {
    await there.submit(`${appURL}/account/link-2`)
    await there.comeBack(appURL)
    expect(await there.confirm(appURL)).toBe('/account?notice=linked')
  }

  test('keeps the accounts of the first, and asks no other for the logins of the second', async () => {
    const before = await examples.start()
    await ada.signIn(before.appURL)
    const account = (await ada.whoAmI(before.appURL))?.['account']
    const { body } = await new Browser().follow(`${before.appURL}/login`)
    expect(body.match(/action="[^"]*"/g)).toStrictEqual(['action="/auth/social-login"'])
    expect((await ada.submit(`${before.appURL}/account/link-2`)).status).toBe(404)
    await before.stop('SIGKILL')

    const both = await examples.start(second)
    expect((await ada.whoAmI(both.appURL))?.['account']).toBe(account)
    await link(both.appURL)
    await both.stop('SIGKILL')

    examples.provider.clearRequests()
    const { appURL } = await examples.start()
    const page = await ada.browser.follow(`${appURL}/account`)
    expect(page.body).toContain('ID <code>2</code> at another provider')
    expect(page.body).toContain('except those at a provider that is not offered at present')
    expect(examples.provider.requests).toStrictEqual([])
    expect((await ada.submit(`${appURL}/profile/reload`)).location).toBe('/profile?notice=reloaded')
    expect(examples.provider.requests.map(({ endpoint }) => endpoint)).toStrictEqual(['user/me'])
  })

  test('keeps the last login by which an account can still be opened', async () => {
    const both = await examples.start(second)
    await ada.signIn(both.appURL)
    await link(both.appURL)
    const { body } = await ada.browser.follow(`${both.appURL}/account`)
    const [atSocial, atChess] = Array.from(body.matchAll(/name="login" value="([^"]+)"/g), ([, id]) => id)
    await both.stop('SIGKILL')

    const { appURL } = await examples.start()
    const remove = async (login = ''): Promise<string> =>
      (await ada.submit(`${appURL}/account/unlink`, { login })).location
    expect((await ada.browser.follow(`${appURL}/account`)).body).not.toContain(`name="login" value="${atSocial}"`)
    expect(await remove(atSocial)).toBe('/account?notice=last_login')
    expect(await remove(atChess)).toBe('/account?notice=removed')
    expect(await remove(atSocial)).toBe('/account?notice=last_login')
  })
})
