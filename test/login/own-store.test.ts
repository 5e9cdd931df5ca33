import type { RequestHandler } from 'express'
import { type FailureInfo, OUTCOMES, type OutcomeCode, type PendingLogin } from '../../lib'
import type { PassportInstance, RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { Database, OwnStore } from '../support/own-store'

type Incoming = Parameters<OwnStore['load']>[0]

const logins = useLogins()

/** Two processes of one application without sessions. */
async function startTwo(makeStore: (database: Database) => OwnStore): Promise<[RunningApp, RunningApp]> {
  const { provider } = logins
  const application = provider.registerApplication({ name: 'Two', redirectURL: 'http://localhost/callback' })
  const database = new Database()
  const start = (): Promise<RunningApp> => {
    const strategy = { callbackURL: '/callback', store: makeStore(database) }
    return logins.startApp({
      application,
      strategy,
      session: false,
      before: (app, passport) => app.get('/callback', answerCode(passport)),
    })
  }
  return [await start(), await start()]
}

/** Answers with the code of a failure, and how its message goes on after the sentence of all failures with that code. */
function answerCode(passport: PassportInstance): RequestHandler {
  return (req, res, next) => {
    passport.authenticate('social-login', (error: unknown, _user: unknown, info: Partial<FailureInfo> = {}) =>
      error ? next(error) : res.json(info.code ? info.code + hintOf(info.code, info.message) : 'signed in'),
    )(req, res, next)
  }
}

const hintOf = (code: OutcomeCode, message = ''): string => message.slice(OUTCOMES[code].message.length)

function comeBackToBoth(browser: Browser, apps: readonly RunningApp[]): Promise<string[]> {
  const key = apps[0]?.newKey()
  const answers = apps.map(async ({ callbackURL }) => {
    const { body } = await browser.comeBack(`${callbackURL}?auth_key=${key}`)
    return String(JSON.parse(body))
  })
  return Promise.all(answers)
}

/** Both callbacks load before either consumes. */
class Simultaneous extends OwnStore {
  static waiting: (() => void)[] = []

  override async load(req: Incoming): Promise<PendingLogin | undefined> {
    const record = await super.load(req)
    if (!record || record.consumed) return record
    const { waiting } = Simultaneous
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 2) for (const go of waiting.splice(0)) go()
    })
    return record
  }
}

class DoesNotTell extends Simultaneous {
  override async consume(req: Incoming, record: PendingLogin): Promise<void> {
    await super.consume(req, record)
  }
}

test('two processes send one key twice if their store does not tell which callback consumed the login', async () => {
  const apps = await startTwo((database) => new DoesNotTell(database))
  const browser = new Browser()
  await browser.follow(apps[0].loginURL)
  expect((await comeBackToBoth(browser, apps)).sort()).toStrictEqual(['auth_key_rejected', 'signed in'])
  expect(logins.exchanges()).toBe(2)
})

test('one of them is refused before its key is sent if the store tells, and a reload there, too', async () => {
  const apps = await startTwo((database) => new Simultaneous(database))
  const browser = new Browser()
  await browser.follow(apps[0].loginURL)
  expect((await comeBackToBoth(browser, apps)).sort()).toStrictEqual([
    'login_not_started Another process has used it at the same moment.',
    'signed in',
  ])
  expect(logins.exchanges()).toBe(1)
  const reloaded = expect.stringMatching(/^login_not_started The login of this browser is over/)
  expect(await comeBackToBoth(browser, apps)).toStrictEqual([reloaded, reloaded])
  expect(logins.exchanges()).toBe(1)
})
