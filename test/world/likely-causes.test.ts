import { Strategy } from '../../lib'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

// What an application learns where several causes look alike: the likeliest first, and no cure that would open a hole.

const logins = useLogins()
const HTML = { accept: 'text/html' }

describe('a callback whose Referer is another site', () => {
  const refusedFrom = async (callbackURL?: string): Promise<string> => {
    const app = await logins.startApp({ ...(callbackURL && { strategy: { callbackURL } }), callback: {} })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const headers = { ...HTML, referer: 'https://tunnel.example/' }
    return (await browser.comeBack(app.approvedCallback(), { headers })).body
  }

  test('names a rewritten Host first, if the origin is known from Host alone', async () => {
    const body = await refusedFrom('/callback')
    expect(body.indexOf('a proxy rewrites Host')).toBeGreaterThan(-1)
    expect(body.indexOf('a proxy rewrites Host')).toBeLessThan(body.indexOf('allowedCallbackOrigins'))
  })

  test('names no rewritten Host, if callbackURL contains the origin', async () => {
    const body = await refusedFrom()
    expect(body).toContain('allowedCallbackOrigins')
    expect(body).not.toContain('rewrites Host')
  })
})

const OPTIONS = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 'secret' }

test('the application’s own origin is no origin of the provider', () => {
  const options = { ...OPTIONS, callbackURL: 'https://app.example/cb', allowedCallbackOrigins: ['https://app.example'] }
  expect(() => new Strategy(options, async () => ({}))).toThrow(/^allowedCallbackOrigins must not hold the origin of/)
})

test.each([
  ['client_id', 'clientID'],
  ['clientId', 'clientID'],
  ['client_secret', 'clientSecret'],
  ['redirectURL', 'callbackURL'],
  ['redirect_uri', 'callbackURL'],
  ['appID', 'clientID'],
  ['app_secret', 'clientSecret'],
])('the option %s is answered by %s', (given, meant) => {
  const options: object = { ...OPTIONS, callbackURL: '/cb', [given]: 'x' }
  expect(() => Reflect.construct(Strategy, [options, () => false])).toThrow(`did you mean ${meant}?`)
})

test('a callback at a wrong path does not begin with the provider', async () => {
  const app = await logins.startApp({ callback: {}, start: {} })
  const { body } = await new Browser().comeBack(`${app.loginURL}?auth_key=x`, { headers: HTML })
  expect(body).toContain('It arrived at a path other than that of callbackURL')
  expect(body).not.toContain('did not come from the provider')
})
