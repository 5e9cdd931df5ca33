import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { openOrigin } from '../../support/many-providers-app'

const logins = useLogins()

test('the name of a provider belongs to the address at which a login has succeeded, and not before', async () => {
  const other = await openOrigin(logins)
  let isMoved = false
  const app = await logins.startApp({
    provider: (community) => ({
      ...community,
      baseURL: isMoved ? community.baseURL.replace(logins.provider.origin, other.origin) : community.baseURL,
    }),
  })
  const statusAt = async (address: 'first' | 'other'): Promise<number> => {
    isMoved = address === 'other'
    return (await new Browser().follow(app.loginURL)).status
  }
  expect([await statusAt('other'), await statusAt('first')]).toStrictEqual([302, 302])
  expect((await app.logIn()).status).toBe(200)
  expect([await statusAt('other'), await statusAt('first')]).toStrictEqual([500, 302])
})
