import { MemoryStore } from 'express-session'
import type { RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()
let apps: [RunningApp, RunningApp]

/** Two processes of one application, as far as the strategy is concerned: they share the session store, and nothing else. */
async function startTwo(loginPage: 'sends on who is signed in' | 'is for everybody'): Promise<void> {
  const application = logins.provider.registerApplication({ name: 'Two', redirectURL: 'http://localhost/callback' })
  const store = new MemoryStore()
  const start = () =>
    logins.startApp({
      application,
      store,
      strategy: { callbackURL: '/callback' },
      callback: { failureRedirect: '/login', successRedirect: '/me' },
      before: (app) =>
        app.get('/login', (req, res) => {
          if (req.user && loginPage === 'sends on who is signed in') res.redirect('/me')
          else res.send('Sign in')
        }),
    })
  apps = [await start(), await start()]
}

/** A login that comes back twice at once, to each process once. @returns where each answer leads in the end */
async function comesBackTwice(): Promise<string[]> {
  const browser = new Browser()
  const [one, other] = apps
  await browser.follow(one.loginURL)
  const key = one.newKey()
  const answers = await Promise.all(apps.map(({ callbackURL }) => browser.comeBack(`${callbackURL}?auth_key=${key}`)))
  const goOn = async ({ location }: BrowserAnswer): Promise<string> => {
    const next = await browser.follow(`${other.origin}${location}`)
    return next.location || location
  }
  const ends = []
  for (const answer of answers) ends.push(await goOn(answer))
  expect(await one.userOf(browser)).toEqual({ id: '1' })
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
