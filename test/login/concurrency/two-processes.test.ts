import { MemoryStore } from 'express-session'
import { FakeProvider } from '../../../lib/testing'
import { type RunningApp, startApp } from '../../support/app'
import { Browser, type BrowserAnswer, closeBrowsers } from '../../support/browser'

let provider: FakeProvider
let apps: [RunningApp, RunningApp]

/** Two processes of one application, as far as the strategy is concerned: they share the session store, and nothing else. */
async function startTwo(loginPage: 'sends on who is signed in' | 'is for everybody'): Promise<void> {
  provider = await FakeProvider.start()
  const store = new MemoryStore()
  const first = await startApp({ provider, store })
  const { appID: clientID, appSecret: clientSecret } = first.application
  const start = () =>
    startApp({
      provider,
      store,
      strategy: { clientID, clientSecret, callbackURL: '/callback' },
      callback: { failureRedirect: '/login', successRedirect: '/me' },
      before: (app) =>
        app.get('/login', (req, res) => {
          if (req.user && loginPage === 'sends on who is signed in') res.redirect('/me')
          else res.send('Sign in')
        }),
    })
  await first.stop()
  apps = [await start(), await start()]
}

afterEach(async () => {
  for (const app of apps) await app.stop()
  await provider.stop()
})
afterAll(closeBrowsers)

/** A login that comes back twice at once, to each process once. @returns where each answer leads in the end */
async function comesBackTwice(): Promise<string[]> {
  const browser = new Browser()
  const [one, other] = apps
  await browser.follow(one.loginURL)
  const key = provider.issueAuthKey({
    appID: (await browser.follow(one.loginURL)).location.split('app_id=')[1] ?? '',
    userID: '1',
  })
  const answers = await Promise.all(apps.map(({ callbackURL }) => browser.comeBack(`${callbackURL}?auth_key=${key}`)))
  const goOn = async ({ location }: BrowserAnswer): Promise<string> => {
    const next = await browser.follow(`${other.origin}${location}`)
    return next.location || location
  }
  const ends = []
  for (const answer of answers) ends.push(await goOn(answer))
  expect(JSON.parse((await browser.follow(`${one.origin}/me`)).body).user).toEqual({ id: '1' })
  return ends.sort()
}

test('of two callbacks at once on two processes, one ends at the login page, and the person is signed in', async () => {
  await startTwo('is for everybody')
  expect(await comesBackTwice()).toEqual(['/login', '/me'])
})

test('a login page that sends on who is signed in makes both of them harmless', async () => {
  await startTwo('sends on who is signed in')
  for (let round = 0; round < 10; round++) expect(await comesBackTwice()).toEqual(['/me', '/me'])
})
