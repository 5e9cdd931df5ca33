import { Strategy } from '../../../lib'
import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()

/** What the verify function of a whole login finds at `req.authInfo`. */
async function infoAtVerify(headers: Record<string, string>): Promise<unknown> {
  let seen: unknown
  const app = await logins.startApp({
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
