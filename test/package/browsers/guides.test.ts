import express from 'express'
import { MemoryStore } from 'express-session'
import passport from 'passport'
import type { Browser } from 'playwright-core'
import { Strategy } from '../../../lib'
import { FakeProvider } from '../../../lib/testing'
import { keepSessions, newPassport } from '../../support/app'
import { describeInChromium, launchChromium } from '../../support/browsers/chromium'
import { type Listening, listen } from '../../support/listen'
import { assurance } from '../docs/guides'

const CALLBACK = '/auth/social-login/callback'

describeInChromium('"Asking more where less is certain" of docs/guides/linking.md, in Chromium', () => {
  let provider: FakeProvider
  let browser: Browser
  let listening: Listening

  beforeAll(async () => {
    browser = await launchChromium()
    provider = await FakeProvider.start()
  })
  afterEach(() => listening.stop())
  afterAll(async () => {
    await browser.close()
    await provider.stop()
  })

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
    app.get(['/inbox', '/account/confirm'], (req, res) => void res.send(req.user ? 'signed in' : 'nobody'))
  }
  /** @returns the path that the browser comes to, and what it shows */
  const signIn = async (): Promise<[string, string]> => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${listening.origin}/login`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL((url) => url.port === new URL(listening.origin).port && !url.search.includes('auth_key'), {
      timeout: 5000,
    })
    const seen: [string, string] = [new URL(page.url()).pathname, await page.innerText('body')]
    await context.close()
    return seen
  }

  test.each([
    [true, '/inbox'],
    [false, '/account/confirm'],
  ])('with tabBinding: %j, a login ends at %s', async (tabBinding, path) => {
    await serve(tabBinding)
    expect(await signIn()).toEqual([path, 'signed in'])
  })
})
