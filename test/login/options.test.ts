import type { AppOptions } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

// What single options change in whole logins.

const logins = useLogins()
const SISTER = 'https://www.sister.example'

const kinds: readonly Pick<AppOptions, 'keep' | 'provider'>[] = [
  { keep: 'session' },
  { keep: 'session', provider: true },
  { keep: 'web' },
  { keep: 'web', provider: true },
]

describe.each(kinds)('with %j', (kind) => {
  test('a link on a page of allowedStartOrigins starts a login, and one on another page gets the confirm page', async () => {
    const app = await logins.startApp({ ...kind, strategy: { allowedStartOrigins: [SISTER] } })
    const linkOn = async (origin: string): Promise<number> => {
      const headers = { 'sec-fetch-site': 'cross-site', referer: `${origin}/` }
      return (await new Browser().follow(app.loginURL, { headers })).status
    }
    expect([await linkOn(SISTER), await linkOn('https://evil.example')]).toStrictEqual([302, 200])
  })

  test('a page of allowedCallbackOrigins may lead to the callback, and no other page of the web', async () => {
    const app = await logins.startApp({ ...kind, strategy: { allowedCallbackOrigins: [SISTER] } })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const back = (origin: string) => browser.comeBack(app.approvedCallback(), { headers: { referer: `${origin}/` } })
    expect((await back('https://evil.example')).status).toBe(403)
    expect(logins.exchanges()).toBe(0)
    expect(JSON.parse((await back(SISTER)).body).user).toEqual({ id: '1' })
  })

  test('relative pictures are in the folder uploadsURL, and left out without it', async () => {
    logins.provider.setMode({ relativePictures: true })
    const photos = async (uploadsURL?: string): Promise<unknown> => {
      const app = await logins.startApp({ ...kind, strategy: { uploadsURL } })
      await app.logIn()
      return app.profiles[0]?.photos?.map(({ value }) => value.replace(/[^/]*$/, ''))
    }
    expect(await photos('https://social.example/uploads')).toStrictEqual(['https://social.example/uploads/pictures/'])
    expect(await photos()).toBeUndefined()
  })
})

test('with skipUserProfile, a login requests no profile', async () => {
  const app = await logins.startApp({ strategy: { skipUserProfile: true }, verify: async () => ({ id: 'somebody' }) })
  expect(JSON.parse((await app.logIn()).body).user).toEqual({ id: 'somebody' })
  expect(logins.provider.requests.map(({ endpoint }) => endpoint)).toStrictEqual(['authorize'])
})
