import express from 'express'
import { MemoryStore } from 'express-session'
import passport from 'passport'
import { Strategy } from '../../../lib'
import { FakeProvider } from '../../../lib/testing'
import { keepSessions, newPassport } from '../../support/app'
import { describeVisits } from '../../support/browsers/each-browser'
import { untilDefined } from '../../support/browsers/live-world'
import { type Listening, listen } from '../../support/listen'
import { assurance } from '../docs/guides'

const CALLBACK = '/auth/social-login/callback'
const ENDS = ['/inbox', '/account/confirm']

describeVisits('"Asking after a login" of docs/guides/asking-after-a-login.md', (visitor) => {
  let provider: FakeProvider
  let listening: Listening

  beforeAll(async () => {
    provider = await FakeProvider.start()
  })
  afterEach(() => listening.stop())
  afterAll(() => provider.stop())

  /** An application around the guide, as a reader builds it. */
  const serve = async (tabBinding: boolean): Promise<void> => {
    const app = express()
    listening = await listen(app)
    const redirectURL = `${listening.origin}${CALLBACK}`
    const { appID: clientID, appSecret: clientSecret } = provider.registerApplication({ name: 'Mine', redirectURL })
    const settings = { baseURL: provider.baseURL, clientID, clientSecret, callbackURL: CALLBACK, tabBinding }
    newPassport([new Strategy(settings, (_accessToken, _refreshToken, { id }) => ({ id }))], passport)
    app.use(keepSessions(new MemoryStore()), passport.session())
    app.get('/login', (_req, res) => void res.send('<a href="/auth/social-login">Sign in</a>'))
    app.get('/auth/social-login', passport.authenticate('social-login', { returnTo: '/inbox' }))
    assurance(app)
    app.get(ENDS, (req, res) => void res.send(req.user ? 'signed in' : 'nobody'))
  }
  /** @returns the path that the browser comes to, and what it shows */
  const signIn = async (): Promise<[string, string]> => {
    const tab = await visitor().open()
    await tab.goto(`${listening.origin}/login`)
    await tab.click('a')
    await tab.click('button[name="user_id"][value="1"]')
    await tab.click('button[value="approve"]')
    const path = await untilDefined(async () => {
      const url = await tab.url()
      return ENDS.find((end) => url === listening.origin + end)
    })
    return [path, await tab.text()]
  }

  test.each([
    [true, '/inbox'],
    [false, '/account/confirm'],
  ])('with tabBinding: %j, a login ends at %s', async (tabBinding, path) => {
    await serve(tabBinding)
    expect(await signIn()).toStrictEqual([path, 'signed in'])
  })
})
