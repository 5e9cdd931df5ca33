import express, { type Application, type Request, type RequestHandler } from 'express'
import session from 'express-session'
import type { Authenticator } from 'passport'
import { type Profile, Strategy, type StrategyOptions } from 'passport-social-login'

// docs/guides/protecting-routes.md#the-type-of-your-user, block 1

declare module 'express-session' {
  interface SessionData {
    messages?: string[]
  }
}

type Member = Express.User & { isBanned: boolean }

interface Members {
  find(profile: Profile): Promise<Member | undefined>
  join(profile: Profile, invitation: unknown): Promise<Member | undefined>
  get(id: string): Promise<Member | undefined>
}

interface Login {
  provider: string
  subject: string
}

interface Accounts {
  loginsOf(userID: string): Promise<Login[]>
  removeLogin(userID: string, login: Login, sessionID: string): Promise<boolean>
  deleteUser(userID: string): Promise<void>
}

export const sessions = (): RequestHandler =>
  session({ secret: 'a secret of the test', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } })

export function letIn(
  app: Application,
  passport: Authenticator,
  options: StrategyOptions<false>,
  members: Members,
): void {
  // docs/guides/letting-in.md#letting-only-some-users-in, block 1
  // docs/guides/letting-in.md#letting-only-some-users-in, block 2
}

export function protect(app: Application, passport: Authenticator, accounts: Accounts): void {
  // docs/guides/protecting-routes.md#a-login-wall, block 1

  // docs/guides/protecting-routes.md#behind-the-wall, block 1

  app.get('/admin', (_req, res) => void res.send('for administrators'))
  remove(app, requireUser, userOf, accounts)
  const linking = express()
  listLogins(linking, requireUser, userOf, accounts)
  app.use('/linking', linking)
}

function remove(
  app: Application,
  requireUser: RequestHandler,
  userOf: (req: Request) => Express.User,
  accounts: Accounts,
): void {
  const removeLogin: Accounts['removeLogin'] = (...removal) => accounts.removeLogin(...removal)
  const deleteUser: Accounts['deleteUser'] = (userID) => accounts.deleteUser(userID)
  // docs/guides/removing.md#removing-a-login-deleting-an-account, block 1
}

function listLogins(
  app: Application,
  requireUser: RequestHandler,
  userOf: (req: Request) => Express.User,
  accounts: Accounts,
): void {
  // docs/guides/linking.md#the-account-page, block 1
}
