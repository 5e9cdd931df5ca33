import cookieParser from 'cookie-parser'
import express, { type Express } from 'express'
import session from 'express-session'
import { type RateLimiterAbstract, RateLimiterPostgres } from 'rate-limiter-flexible'
import { accountRoutes } from './account/account'
import { profileRoutes } from './account/profile'
import type { Communities } from './auth/communities'
import { confirmFirst, confirmRoutes } from './auth/confirm'
import { type CookieRule, cookieRule, KnownLogins, loginStore, sessionCookieName } from './auth/cookies'
import { loginRoutes } from './auth/login'
import { createPassport, type Services } from './auth/passport'
import { TokenSealer } from './auth/token-sealer'
import { Accounts } from './storage/accounts'
import type { Database, Value } from './storage/database'
import { DatabaseSessions, SESSION_LIFETIME_MS } from './storage/sessions'
import { errorPage, notFound } from './web/errors'
import { securityHeaders } from './web/headers'
import { healthRoutes } from './web/health'
import { type Logger, requestLogger } from './web/logger'
import { strayKeys } from './web/request-target'
import { assetRoutes } from './web/respond'

interface AppSettings {
  readonly communities: Communities
  readonly database: Database
  readonly sessionSecrets: readonly [string, ...string[]]
  /** Express's setting `trust proxy`. */
  readonly trustProxy: number | string[]
  readonly logger: Logger
  readonly isStopping: () => boolean
}

/** Composes the application. Each request passes the handlers in the order in which they are listed here. */
export function createApp(settings: AppSettings): Express {
  const { communities, database, sessionSecrets } = settings
  const isHTTPS = new URL(communities[0].options.callbackURL).protocol === 'https:'
  const cookies = cookieRule(isHTTPS)
  const sessions = new DatabaseSessions(database)
  const stored = { communities, accounts: new Accounts(database), sealer: new TokenSealer(sessionSecrets) }
  const services: Services = {
    ...stored,
    ...createPassport(stored, loginStore(sessionSecrets, isHTTPS)),
    sessions,
    knownLogins: new KnownLogins(cookies),
    guessLimiter: guessLimiter(database),
  }

  const providerOrigins = communities.map(({ origin }) => origin)
  const app = express()
  app.set('trust proxy', settings.trustProxy)
  app.use(requestLogger(settings.logger))
  app.use(strayKeys(communities.map(({ callbackPath }) => callbackPath)))
  app.use(healthRoutes(database, settings.isStopping, settings.logger))
  app.use(securityHeaders(providerOrigins, isHTTPS))
  app.use(assetRoutes())
  // No form has more than two fields, and repeated ones are slow to parse.
  app.use(express.urlencoded({ extended: false, limit: '10kb', parameterLimit: 10 }))
  app.use(sessionOf(sessions, sessionSecrets, cookies))
  // This comes after the session, because express-session would read the cookies of which cookie-parser makes objects,
  // which begin with `j:`.
  app.use(cookieParser([...sessionSecrets]))
  app.use(services.passport.session())
  app.use(loginRoutes(services))
  app.use(confirmRoutes(services))
  // The routes below serve only users who have confirmed a login that is new to their browser.
  app.use(confirmFirst)
  app.use(profileRoutes(services))
  app.use(accountRoutes(services))
  app.use(notFound)
  // The handler is there twice, because express-session saves the session after `errorPage` has responded, and Express
  // passes an error of that only to the handlers that follow. Without one, it destroys the connection.
  app.use(errorPage, errorPage)
  return app
}

function sessionOf(store: DatabaseSessions, secrets: readonly string[], rule: CookieRule) {
  return session({
    store,
    // The first secret signs; the others are still accepted, so that a secret can be replaced without signing users
    // out.
    secret: [...secrets],
    name: sessionCookieName(rule),
    resave: false,
    saveUninitialized: false,
    cookie: { ...rule.options, maxAge: SESSION_LIFETIME_MS },
  })
}

/** Ten guesses in ten minutes, counted in the database, so that all processes count together. */
function guessLimiter(database: Database): RateLimiterAbstract {
  return new RateLimiterPostgres({
    points: 10,
    duration: 10 * 60,
    keyPrefix: '',
    tableName: 'rate_limits',
    tableCreated: true,
    // The limiter expects this of a Postgres client. libsql understands its statements, too.
    storeType: 'client',
    storeClient: {
      async query({ text, values }: { readonly text: string; readonly values: readonly Value[] }) {
        const rows = await database.query(text, values)
        return { rows, rowCount: rows.length }
      },
    },
  })
}
