import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { MemoryStore, type SessionOptions } from 'express-session'
import { type Dispatcher, getGlobalDispatcher } from 'undici'
import { CookieStore, type Provider, Strategy } from '../../../lib'
import type { SharedOptions } from '../../../lib/login/providers/options'
import type { Application, FakeProvider } from '../../../lib/testing'
import {
  COOKIE_KEY_CANARY,
  codeOf,
  failureIn,
  type Keep,
  keepSessions,
  newPassport,
  type PassportInstance,
  SECRET_CANARY,
} from '../app'
import { type HonoSessions, honoTarget } from './hono-target'
import { NaiveStrategy } from './naive-app'
import { homePage, page } from './pages'

/**
 * How the application signs in: by a naive strategy, by ours with its record in the session or in a cookie, by our own for
 * all providers as sites, or by SocialLogin in Hono.
 */
export type Kind = 'naive' | 'many providers' | Keep

export const ours = ['session', 'cookie', 'web'] as const satisfies readonly Keep[]

/** One of our kinds for each adapter. */
export const adapters = ['session', 'web'] as const satisfies readonly Keep[]

/** One provider of the application. */
export interface Login {
  readonly name: string
  readonly provider: FakeProvider
  /** Links an account to the signed-in user (`passport.authorize`). */
  readonly link?: boolean
}

/** Options of the application under attack. */
export interface TargetOptions {
  readonly origin: string
  readonly kind: Kind
  readonly logins: readonly Login[]
  readonly strategy?: Partial<SharedOptions>
  readonly session?: Partial<SessionOptions>
  readonly dispatcher?: Dispatcher
  /** Middleware and routes before the application's own. */
  readonly before?: (app: Express) => void
  /** Answers the callback with a page instead of a redirect, so that it can be reloaded. */
  readonly stayAtCallback?: boolean
  /** HTML at the end of every page of the application. */
  readonly extra?: (path: string) => string
}

/** One request to the application and its outcome. */
export interface Visit {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** `accepted`, `linked`, `started`, `confirm page`, `tab page`, `page`, or a code of the table of outcomes. */
  readonly verdict: string
}

/** For tests of attacks: the application under attack, identical except for its strategy. */
export interface Target {
  readonly app: Express
  readonly origin: string
  readonly applications: ReadonlyMap<string, Application>
  /** Every answered request to the login routes. */
  readonly visits: Visit[]
  /** The outcome of the last one. */
  lastVerdict(): string | undefined
  readonly errors: unknown[]
  /** Accounts that were linked, as `user: account`. */
  readonly linked: string[]
  /** The sessions. */
  readonly store: MemoryStore | HonoSessions
  startURL(name?: string): string
  callbackURL(name?: string): string
  /** The callback URL after a user's approval. */
  approved(userID: string, name?: string): string
}

/** The name of the first login. */
export const SOCIAL = 'social'

/** Creates the application without listening. */
export function createTarget(options: TargetOptions): Target {
  const { origin, logins } = options
  const app = express()
  const store = new MemoryStore()
  const sessions: HonoSessions = new Map()
  const applications = new Map<string, Application>()
  const providers = new Map<string, FakeProvider>()
  const target: Target = {
    app,
    origin,
    applications,
    visits: [],
    lastVerdict: () => target.visits.at(-1)?.verdict,
    errors: [],
    linked: [],
    store: options.kind === 'web' ? sessions : store,
    startURL: (name = SOCIAL) => `${origin}/auth/${name}`,
    callbackURL: (name = SOCIAL) => `${origin}/auth/${name}/callback`,
    approved: (userID, name = SOCIAL) => {
      const appID = applications.get(name)?.appID ?? ''
      return `${target.callbackURL(name)}?auth_key=${providers.get(name)?.issueAuthKey({ appID, userID })}`
    },
  }
  for (const { name, provider } of logins) {
    const redirectURL = target.callbackURL(name)
    const appSecret = `${SECRET_CANARY}-${name}`
    applications.set(name, provider.registerApplication({ name: 'Target', redirectURL, appSecret }))
    providers.set(name, provider)
  }
  app.use(recordVisit(target))
  if (options.kind === 'web') {
    options.before?.(app)
    app.use(honoTarget(sessions, target, options, tell))
  } else mountExpress(app, store, target, options)
  app.use(recordError(target.errors))
  return target
}

function mountExpress(app: Express, store: MemoryStore, target: Target, options: TargetOptions): void {
  const hasMany = options.kind === 'many providers'
  const strategies = hasMany
    ? [strategyForSites(target, options)]
    : options.logins.map((login) => strategyFor(login, target, options))
  const passport = newPassport(strategies)
  app.use(keepSessions(store, options.session), passport.session())
  options.before?.(app)
  for (const login of options.logins) mountLogin(app, passport, login, target, options)
  mountPages(app, options)
}

function strategyFor({ name, provider }: Login, target: Target, options: TargetOptions): NaiveStrategy | Strategy {
  const application = target.applications.get(name)
  if (!application) throw new Error(`no login named ${name}`)
  const callbackURL = target.callbackURL(name)
  const { dispatcher } = options
  if (options.kind === 'naive') {
    return new NaiveStrategy({
      name,
      provider,
      application,
      callbackURL,
      dispatcher: dispatcher ?? getGlobalDispatcher(),
    })
  }
  const settings = {
    name,
    baseURL: provider.baseURL,
    clientID: application.appID,
    clientSecret: application.appSecret,
    callbackURL,
    ...(dispatcher && { dispatcher }),
    ...(options.kind === 'cookie' && { store: new CookieStore({ keys: [COOKIE_KEY_CANARY] }) }),
    ...options.strategy,
  }
  return new Strategy(settings, async (_accessToken, _refreshToken, profile) => ({ id: `${name}:${profile.id}` }))
}

/** One strategy, which finds its provider by the path of the request. */
function strategyForSites(target: Target, { logins, strategy }: TargetOptions): Strategy {
  const providerAt = (path: string): Provider | undefined => {
    const [, , name = ''] = path.split(/[/?]/)
    const application = target.applications.get(name)
    const baseURL = logins.find((login) => login.name === name)?.provider.baseURL
    if (!application || baseURL === undefined) return undefined
    return { name, baseURL, clientID: application.appID, clientSecret: application.appSecret }
  }
  return new Strategy(
    {
      callbackURL: `${target.origin}/auth/:provider/callback`,
      provider: (req) => providerAt(req.originalUrl),
      allowPrivateAddresses: true,
      ...strategy,
    },
    async (_accessToken, _refreshToken, profile) => ({ id: `${profile.provider}:${profile.id}` }),
  )
}

function mountLogin(
  app: Express,
  passport: PassportInstance,
  { name, link }: Login,
  target: Target,
  { kind, stayAtCallback }: TargetOptions,
): void {
  const mode = link ? passport.authorize : passport.authenticate
  const strategy = kind === 'many providers' ? 'social-login' : name
  const authenticate: RequestHandler = mode.call(passport, strategy, { failureMessage: true })
  app.all(`/auth/${name}`, authenticate)
  app.all(`/auth/${name}/callback`, authenticate, (req, res) => {
    const account: unknown = Reflect.get(req, 'account')
    if (link && account) target.linked.push(`${idOf(req.user)}: ${idOf(account)}`)
    tell(req, link && account ? 'linked' : req.authInfo ? 'accepted' : 'gone on')
    if (stayAtCallback) res.send(page(`Signed in as ${idOf(req.user)}`))
    else res.redirect('/me')
  })
}

function mountPages(app: Express, { logins, extra = () => '' }: TargetOptions): void {
  app.get('/', (req, res) => res.type('html').send(homePage(logins, extra(req.path))))
  app.get('/me', (req, res) => res.json({ user: idOf(req.user) }))
  app.get('/become/:id', (req, res, next) => {
    req.logIn({ id: req.params.id }, (error) => (error ? next(error) : res.redirect('/me')))
  })
}

/** The outcomes of requests, where the response does not show it. */
const told = new WeakMap<IncomingMessage, string>()

function tell(req: IncomingMessage, verdict: string): void {
  told.set(req, verdict)
}

function recordVisit({ visits }: Target): RequestHandler {
  return (req, res, next) => {
    const { method, headers, originalUrl: path } = req
    // Not `finish`: Firefox may close the connection as soon as it has read the Location header.
    res.once('close', () => {
      if (path.startsWith('/auth/') && res.headersSent)
        visits.push({ method, path, headers, verdict: verdictOf(req, res) })
    })
    next()
  }
}

const verdictOf = (req: express.Request, res: express.Response): string => {
  const verdict = told.get(req)
  if (verdict !== undefined) return verdict
  if (res.statusCode === 503 && String(res.get('content-length')) === '0') return 'speculative_request'
  if (res.statusCode < 300) {
    const policy = String(res.get('content-security-policy'))
    if (!policy.includes("frame-ancestors 'none'")) return 'page'
    // Both pages have the guard's script; the tab page has another one.
    return /script-src 'sha256-\S+' 'sha256-/.test(policy) ? 'tab page' : 'confirm page'
  }
  // Turbo's form is redirected to the same start.
  if (res.statusCode === 303) return 'page'
  if (res.statusCode < 400) return 'started'
  const messages: unknown = Reflect.get(req.session ?? {}, 'messages')
  return failureIn(JSON.stringify(Array.isArray(messages) ? (messages.at(-1) ?? '') : '')) ?? String(res.statusCode)
}

function recordError(errors: unknown[]): ErrorRequestHandler {
  return (error, req, _res, next) => {
    errors.push(error)
    tell(req, codeOf(error))
    next(error)
  }
}

function idOf(user: unknown): string | null {
  const id: unknown = typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined
  return typeof id === 'string' ? id : null
}
