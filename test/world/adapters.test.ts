import express, { type RequestHandler } from 'express'
import { Strategy } from '../../lib'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'
import { keepSessions } from '../support/app'
import { Browser } from '../support/browser'
import { HookedStore } from '../support/hooked-store'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'

const logins = useLogins('all tests')

const ACTIONS = ['success', 'fail', 'redirect', 'pass', 'error'] as const

interface Adapter {
  /** The actions that it has. */
  readonly actions?: readonly (typeof ACTIONS)[number][]
  /** Changes the request before the strategy gets it. */
  readonly change?: (req: express.Request) => void
}

/** An adapter that runs strategies by itself, and answers with what they call. */
async function start({ actions = ACTIONS, change = () => {} }: Adapter): Promise<{ origin: string; callback: string }> {
  const app = express()
  const { origin } = logins.stopLater(await listen(app))
  const { appID, appSecret } = logins.provider.registerApplication({ name: 'A', redirectURL: `${origin}/cb` })
  const options = { baseURL: logins.provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL: '/cb' }
  const strategy = new Strategy(options, async (_accessToken, _refreshToken, { id }) => ({ id }))
  const run: RequestHandler = (req, res) => {
    const { user } = Object(req.session)
    Object.assign(req, { user })
    const answer = (action: string, value: unknown): void => {
      if (action === 'success') Object.assign(req.session, { user: value })
      // Not by Express, which needs the `req.res` that this test takes away.
      res.end(JSON.stringify({ action, value: value instanceof Error ? value.message : value }))
    }
    change(req)
    const mine: object = Object.create(strategy)
    for (const action of actions) Object.assign(mine, { [action]: (value: unknown) => answer(action, value) })
    try {
      Reflect.apply(strategy.authenticate, mine, [req])
    } catch (error) {
      answer('error', error)
    }
  }
  app.use(keepSessions(new HookedStore()), run)
  return { origin, callback: `${origin}/cb?auth_key=${logins.provider.issueAuthKey({ appID, userID: '1' })}` }
}

async function logIn(adapter: Adapter): Promise<{ first: string; reload: string }> {
  const { origin, callback } = await start(adapter)
  const browser = new Browser()
  const begun = await browser.request(`${origin}/auth`, { headers: sameOriginNavigation })
  expect(JSON.parse(begun.body)).toEqual({ action: 'redirect', value: expect.stringContaining('/oauth?app_id=') })
  const back = () => browser.request(callback, { headers: providerNavigation })
  return { first: (await back()).body, reload: (await back()).body }
}

test('without pass(), a login succeeds, and its reload fails', async () => {
  const { first, reload } = await logIn({ actions: ['success', 'fail', 'redirect', 'error'] })
  expect(JSON.parse(first)).toEqual({ action: 'success', value: { id: '1' } })
  expect(JSON.parse(reload)).toMatchObject({ action: 'fail', value: { code: 'login_not_started' } })
})

test.each(['success', 'fail', 'redirect', 'error'] as const)(
  'without %s(), the start says so, and nothing is stored',
  async (missing) => {
    const { origin } = await start({ actions: ACTIONS.filter((action) => action !== missing) })
    const browser = new Browser()
    const { body } = await browser.request(`${origin}/auth`, { headers: sameOriginNavigation })
    expect(JSON.parse(body).value).toMatch(
      new RegExp(`^The strategy has no ${missing}\\(\\): run it by passport.authenticate`),
    )
    expect(await browser.cookies(origin)).toBe('')
  },
)

// Nest with Fastify, koa-passport, and Connect each have a response of fewer methods.
test.each([
  ['no response', undefined],
  ['an empty response', {}],
  ['a response with setHeader alone', { setHeader: () => {} }],
  ['a response with end alone', { end: () => {} }],
])('with %s a login succeeds, and a refusal is a failure', async (_title, res) => {
  const change = (req: express.Request): void => void Object.assign(req, { res })
  const { first, reload } = await logIn({ change })
  expect(JSON.parse(first)).toEqual({ action: 'success', value: { id: '1' } })
  expect(JSON.parse(reload)).toMatchObject({ action: 'fail', value: { code: 'login_not_started' } })
  const { origin } = await start({ change })
  const unverified = await new Browser().request(`${origin}/auth`, { headers: { accept: 'text/html' } })
  expect(JSON.parse(unverified.body)).toEqual({
    action: 'fail',
    value: expect.objectContaining({ code: 'start_forbidden' }),
  })
  expect(JSON.parse(unverified.body).value.message).toContain('the framework gives no response at req.res')
  const routed = await new Browser().request(`${origin}/auth`, { headers: { 'hx-request': 'true' } })
  expect(JSON.parse(routed.body)).toMatchObject({ action: 'fail', value: { code: 'navigation_required' } })
})

test('a Request of the Fetch standard is refused by name', async () => {
  const change = (req: express.Request): void => void Object.defineProperty(req, 'headers', { value: new Headers() })
  const { origin } = await start({ change })
  const { body } = await new Browser().request(`${origin}/auth`, { headers: sameOriginNavigation })
  expect(JSON.parse(body)).toEqual({
    action: 'error',
    value: expect.stringContaining('there is SocialLogin of passport-social-login/web'),
  })
})
