import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler } from 'express'
import type { Store } from 'express-session'
import type { Dispatcher } from 'undici'
import {
  type AuthenticateOptions,
  CookieStore,
  type Request,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  type VerifyFunction,
} from '../../../lib'
import type { Application } from '../../../lib/testing'
import { keepSessions, newPassport, type PassportInstance } from '../app'

/** Two honest providers and a hostile one, each with a strategy of that name. */
export const providerNames = ['a', 'b', 'h'] as const
export type ProviderName = (typeof providerNames)[number]

/** An action that a strategy took. */
export interface Outcome {
  /** `success`, `pass`, `redirect`, the code of a failure or of an error, or `another error`. */
  readonly name: string
  /** The label that the start gave to the login. */
  readonly label?: unknown
}

/** A call of the verify function. */
export interface Verified {
  readonly strategy: ProviderName
  readonly id: string
  readonly accessToken: string
}

/** The application's state across restarts, and its reports to the test. */
export interface AppParts {
  readonly keep: 'session' | 'cookie'
  readonly origin: string
  readonly sessions: Store
  readonly dispatcher: Dispatcher
  readonly providers: Readonly<Record<ProviderName, { baseURL: string; application: Application }>>
  readonly outcomes: Outcome[]
  readonly verified: Verified[]
  readonly errors: unknown[]
}

export const COOKIE_KEY = 'cookie-key-canary-4be1907d2c5f6a83'
/** The header by which a start labels its login. */
export const LABEL = 'x-label'

/** Reports each action that it takes. Not by `#private`: Passport runs `Object.create(strategy)`. */
class ObservedStrategy extends Strategy {
  private readonly _outcomes: Outcome[]

  constructor(options: StrategyOptions<false>, verify: VerifyFunction, outcomes: Outcome[]) {
    super(options, verify)
    this._outcomes = outcomes
  }

  override authenticate(req: Request, options?: AuthenticateOptions): void {
    const { success, fail, redirect, pass, error } = this
    const report = (name: string, label?: unknown): void => {
      this._outcomes.push({ name, label })
    }
    this.success = (user, info) => {
      report('success', Reflect.get(Object(info), 'state'))
      success(user, info)
    }
    this.fail = (...given: unknown[]) => {
      report(String(Reflect.get(Object(given[0]), 'code')))
      Reflect.apply(fail, this, given)
    }
    this.redirect = (url, status) => {
      report('redirect')
      redirect(url, status)
    }
    this.pass = () => {
      report('pass')
      pass()
    }
    this.error = (cause: unknown) => {
      report(cause instanceof SocialLoginError ? cause.code : 'another error')
      error(cause)
    }
    super.authenticate(req, options)
  }
}

/** The part of the application that a restart replaces. */
export function buildPassport(parts: AppParts): PassportInstance {
  return newPassport(providerNames.map((name) => strategyFor(name, parts)))
}

/** The application with its current Passport. */
export function buildApp(parts: AppParts, passport: () => PassportInstance): RequestListener {
  const app = express()
  app.use(keepSessions(parts.sessions))
  app.use((req, res, next) => passport().session()(req, res, next))
  app.all('/:name/auth', (req, res, next) => {
    const options: AuthenticateOptions = { state: String(req.headers[LABEL]), returnTo: '/inbox' }
    passport().authenticate(req.params.name, options)(req, res, next)
  })
  app.all(
    '/:name/callback',
    (req, res, next) => passport().authenticate(req.params.name)(req, res, next),
    (req, res) => res.json({ user: req.user }),
  )
  app.get('/:page', (req, res, next) => {
    const done = (error?: unknown) => (error ? next(error) : res.end())
    if (req.params.page === 'become') req.logIn({ id: 'local:1' }, { session: true, keepSessionInfo: true }, done)
    else if (req.params.page === 'logout') req.logout(done)
    else done(void Object.assign(req.session, { cart: 'full' }))
  })
  const report: ErrorRequestHandler = (error, _req, res, next) => {
    parts.errors.push(error)
    if (!res.headersSent) next(error)
  }
  return app.use(report)
}

function strategyFor(name: ProviderName, parts: AppParts): Strategy {
  const { baseURL, application } = parts.providers[name]
  return new ObservedStrategy(
    {
      name,
      baseURL,
      clientID: application.appID,
      clientSecret: application.appSecret,
      callbackURL: `${parts.origin}/${name}/callback`,
      dispatcher: parts.dispatcher,
      timeout: 2000,
      ...(parts.keep === 'cookie' && { store: new CookieStore({ keys: [COOKIE_KEY] }) }),
    },
    async (accessToken, _refreshToken, { id }) => {
      parts.verified.push({ strategy: name, id, accessToken })
      return { id: `${name}:${id}` }
    },
    parts.outcomes,
  )
}
