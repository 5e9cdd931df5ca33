import cookieParser from 'cookie-parser'
import express, { type Express } from 'express'
import session from 'express-session'
import { SocialLoginClient } from 'passport-social-login'
import { type Logger, requestLogger } from './logger'
import { createPassport } from './passport'
import type { Provider } from './provider'
import { accountRoutes } from './routes/account'
import { confirmFirst, confirmRoutes } from './routes/confirm'
import { errorPage, notFound } from './routes/errors'
import { healthRoutes } from './routes/health'
import { loginRoutes } from './routes/login'
import { assetRoutes, homeRoutes } from './routes/pages'
import { profileRoutes } from './routes/profile'
import { ProfileReload } from './routes/profile-reload'
import { securityHeaders } from './security/headers'
import { RejectedKeys } from './security/rejected-keys'
import { Sealer } from './security/sealer'
import { Accounts } from './storage/accounts'
import type { Database } from './storage/database'
import { DatabaseSessions, SESSION_LIFETIME_MS } from './storage/sessions'

export interface AppSettings {
  readonly provider: Provider
  readonly database: Database
  readonly sessionSecrets: readonly [string, ...string[]]
  readonly trustProxy: number | string[]
  readonly logger: Logger
  readonly isStopping: () => boolean
}

/** The application: what a request passes, in order. */
export function createApp({
  provider,
  database,
  sessionSecrets,
  trustProxy,
  logger,
  isStopping,
}: AppSettings): Express {
  const accounts = new Accounts(database)
  const sessions = new DatabaseSessions(database)
  const sealer = new Sealer(sessionSecrets)
  const passport = createPassport(provider, accounts, sealer)
  const rejectedKeys = new RejectedKeys(database)
  const reload = new ProfileReload(new SocialLoginClient(provider.options), provider, accounts, sealer)
  const callback = new URL(provider.options.callbackURL)

  const app = express()
  app.set('trust proxy', trustProxy)
  app.use(requestLogger(logger))
  app.use(healthRoutes(database, isStopping))
  app.use(securityHeaders(provider.origin, callback.protocol === 'https:'))
  app.use(assetRoutes())
  app.use(express.urlencoded({ extended: false, limit: '10kb' }))
  app.use(cookieParser([...sessionSecrets]))
  app.use(sessionOf(sessions, sessionSecrets))
  app.use(passport.session())
  app.use(
    loginRoutes({ passport, accounts, rejectedKeys, callbackPath: callback.pathname, provider: provider.displayName }),
  )
  app.use(confirmRoutes(accounts, provider.origin))
  // Behind this line, a login that is new to the browser has been confirmed.
  app.use(confirmFirst)
  app.use(homeRoutes(accounts))
  app.use(profileRoutes(accounts, provider, reload))
  app.use(accountRoutes({ passport, accounts, sessions, provider }))
  app.use(notFound)
  app.use(errorPage)
  return app
}

function sessionOf(store: DatabaseSessions, secrets: readonly string[]) {
  return session({
    store,
    // The first signs, the others are still believed: that is how a secret is changed without signing people out.
    secret: [...secrets],
    name: 'example-session',
    resave: false,
    saveUninitialized: false,
    // Lax, not Strict: the way back from the provider comes from another site, and a Strict cookie stays at home then.
    // `auto`: Secure where the visitor came by https, which "trust proxy" tells behind a balancer.
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto', maxAge: SESSION_LIFETIME_MS },
  })
}
