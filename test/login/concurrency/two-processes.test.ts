import { MemoryStore } from 'express-session'
import type { RunningApp } from '../../support/app'
import { Browser, type BrowserAnswer } from '../../support/browser'
import { useLogins } from '../../support/logins'

const logins = useLogins()
let apps: [RunningApp, RunningApp]

/** Two processes of one application: they share only the session store. */
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

/** A login with two simultaneous callbacks, one to each process. @returns where each ends */
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

test('of two simultaneous callbacks on two processes, one ends at the login page, and the person is signed in', async () => {
  await startTwo('is for everybody')
  expect(await comesBackTwice()).toStrictEqual(['/login', '/me'])
})

test('a login page that redirects signed-in users makes both harmless', async () => {
  await startTwo('sends on who is signed in')
  for (let round = 0; round < 10; round++) expect(await comesBackTwice()).toStrictEqual(['/me', '/me'])
})
