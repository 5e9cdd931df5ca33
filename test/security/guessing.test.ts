import globalPassport from 'passport'
import { limitGuessing } from '../package/docs/guides'
import type { RunningApp } from '../support/app'
import { SOCIAL } from '../support/attacks/target-app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { inParallel } from '../support/parallel'
import { startTarget } from './http-target'

const GUESSES = 200
const AT_ONCE = 50

const logins = useLogins()

/** A script, not a browser: starts a login and sends a callback with a made-up key. @returns the status */
async function guess(startURL: string, callbackURL: string, address: string): Promise<number> {
  const script = new Browser()
  const headers = { 'x-forwarded-for': address }
  await script.follow(startURL, { headers })
  const key = Math.random().toString(16).slice(2).padEnd(32, '0')
  return (await script.comeBack(`${callbackURL}?auth_key=${key}`, { headers })).status
}

async function guessAll(guesses: number, startURL: string, callbackURL: string, address: string): Promise<number[]> {
  const statuses: number[] = []
  await inParallel(guesses, AT_ONCE, async () => {
    statuses.push(await guess(startURL, callbackURL, address))
  })
  return statuses
}

test('without a limit, a naive callback sends every made-up key to the provider', async () => {
  const { provider } = logins
  const target = logins.stopLater(await startTarget({ kind: 'naive', logins: [{ name: SOCIAL, provider }] }))
  await guessAll(50, target.startURL(), target.callbackURL(), '192.0.2.1')
  expect(logins.exchanges()).toBe(50)
})

describe('with the guide of the README', () => {
  const startLimited = (): Promise<RunningApp> =>
    logins.startApp({
      passport: globalPassport,
      callbackPath: '/auth/social-login/callback',
      before: (app) => limitGuessing(app.set('trust proxy', 1)),
    })

  test('of 200 made-up keys from one address at most 10 reach the provider, and others sign in meanwhile', async () => {
    const app = await startLimited()
    const statuses = await guessAll(GUESSES, app.loginURL, app.callbackURL, '192.0.2.1')
    expect(logins.exchanges()).toBeGreaterThan(0)
    expect(logins.exchanges()).toBeLessThanOrEqual(10)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(GUESSES - 10)

    const other = { headers: { 'x-forwarded-for': '198.51.100.7' } }
    for (let login = 0; login < 20; login += 1) {
      const person = new Browser()
      await person.follow(app.loginURL, other)
      const back = await person.comeBack(app.approvedCallback(), other)
      expect(back.location).toBe('/profile')
    }
  })

  test('a key at the start, where guesses are not counted, is not redeemed', async () => {
    const app = await startLimited()
    const address = { headers: { 'x-forwarded-for': '192.0.2.5' } }
    for (let visit = 0; visit < 30; visit += 1) {
      const script = new Browser()
      await script.follow(app.loginURL, address)
      const answer = await script.comeBack(`${app.loginURL}?auth_key=${'0'.repeat(32)}`, address)
      expect(answer.status).toBe(403)
    }
    expect(logins.exchanges()).toBe(0)
  })
})
