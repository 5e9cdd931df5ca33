import { FakeProvider } from '../../lib/testing'
import { closeBrowsers } from '../support/browser'
import { startExample, temporaryFolder } from '../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../support/example/visitor'

afterAll(() => closeBrowsers())

test('a list of confirmed logins is believed with the signature of the example alone', async () => {
  const folder = temporaryFolder()
  const provider = await FakeProvider.start()
  const application = registerExample(provider)
  const example = await startExample({ DATA_DIR: folder.path, ...providerEnvironment(provider, application) })
  const NAME = 'example-known-logins'
  const ada = new Visitor(provider, application, '1')
  await ada.signIn(example.appURL)
  const [, signed = ''] = new RegExp(`${NAME}=([^;]+)`).exec(await ada.browser.cookies(example.appURL)) ?? []
  const [, id = ''] = /^s%3A([\w-]+)\./.exec(signed) ?? []
  const leadsTo = async (cookie: string): Promise<string> => {
    const visitor = new Visitor(provider, application, '1')
    await visitor.begin(example.appURL)
    const headers = { cookie: `${await visitor.browser.cookies(example.appURL)}; ${NAME}=${cookie}` }
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=${visitor.newKey()}`
    return (await visitor.browser.comeBack(callback, { headers })).location
  }
  expect(id).toMatch(/^[\da-f-]{36}$/)
  expect(await leadsTo(signed)).toBe('/profile')
  const forged = [
    id,
    `s%3A${id}`,
    `s%3A${id}.`,
    `s%3A${id}.${'A'.repeat(43)}`,
    `j%3A["${id}"]`,
    signed.replace('s%3A', ''),
  ]
  for (const cookie of forged) expect([cookie, await leadsTo(cookie)]).toEqual([cookie, '/login/confirm'])
  await example.stop('SIGKILL')
  await provider.stop()
  folder.remove()
}, 20_000)
