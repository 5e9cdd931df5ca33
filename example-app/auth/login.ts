import { type Request, type RequestHandler, type Response, Router } from 'express'
import { SocialLoginError } from 'passport-social-login'
import { reasonFor } from '../views/messages'
import { loginPage } from '../views/pages'
import { HTTPError } from '../web/errors'
import { sameOriginForms } from '../web/headers'
import { mentionsKey } from '../web/request-target'
import { field, sendPage } from '../web/respond'
import type { Communities, Community } from './communities'
import { GuessLimit } from './limit-guesses'
import { type Authentication, type Services, VerifiedLogin } from './passport'
import { NewSession, saveSession, signIn, signOut } from './sign-in'

const CONFIRM_WITHIN_MS = 10 * 60 * 1000
const DEFAULT_RETURN_PATH = '/profile'
const NO_RETURN_TO = ['/login', '/logout']

/** The login page, sign-out, and for each community the start of a login and its callback. */
export function loginRoutes(services: Services): Router {
  const { communities, strategies } = services
  const router = Router()

  router.get('/login', async (req, res) => {
    const told = field(req.query, 'reason')
    // If the database failed, the callback could not know whether someone is signed in.
    const isTrouble = told === 'database_unavailable' || told === 'failed_here'
    if (req.user) return res.redirect(303, isTrouble ? `/account?notice=${told}` : '/profile')
    // A user who cancels at the provider is not redirected back, but usually opens this page later.
    const pending = await Promise.all(strategies.map((strategy) => strategy.pendingLogin(req)))
    const unfinished = pending.find((login) => login !== undefined)
    const reason = told ?? (unfinished && 'not_finished')
    const returnTo = field(req.query, 'returnTo') ?? unfinished?.returnTo
    sendPage(req, res, loginPage({ communities, reason, returnTo }))
  })

  for (const community of communities) addLogin(router, community, services)

  router.post('/logout', sameOriginForms, async (req, res) => {
    // Without a signed-in user there is nothing to end, and a login in progress in another tab must not be lost.
    if (req.user) await signOut(req, res)
    res.redirect(303, '/login?reason=signed_out')
  })
  return router
}

function addLogin(router: Router, community: Community, services: Services): void {
  const guesses = new GuessLimit(services.guessLimiter, community.startPath)
  const start: RequestHandler = (req, res, next) => {
    const returnTo = field(req.body, 'returnTo') ?? field(req.query, 'returnTo')
    const options = { failureRedirect: '/login?reason=start_forbidden', returnTo }
    services.passport.authenticate(community.startPath, options)(req, res, next)
  }
  const refuseGuessers: RequestHandler = async (req, res, next) => {
    const seconds = await guesses.secondsToWait(req)
    if (seconds === 0) return next()
    res.set('Retry-After', String(seconds))
    next(new HTTPError(429, reasonFor('too_many_rejected')))
  }
  // The strategy itself checks that the request came from this site, and shows its own page when it cannot tell.
  router.route(community.startPath).all(refuseGuessers).get(start).post(start)
  router.get(community.callbackPath, finishLogin(services, community, guesses))
}

interface LoginOutcome {
  readonly type: 'login'
  readonly login: VerifiedLogin
  /** The `authInfo` of Passport. */
  readonly info: unknown
}

/** The result of a callback. `answered`: the strategy has responded. */
type Outcome =
  | LoginOutcome
  | { readonly type: 'failed'; readonly code: string; readonly error?: SocialLoginError }
  | { readonly type: 'answered' }

/**
 * Handles the provider's callback. It always ends in a redirect, because the URL of this request contains the
 * `auth_key` and no page may be shown at it. Errors thrown here also end in a redirect: see `errorPage`.
 */
function finishLogin(services: Services, { startPath }: Community, guesses: GuessLimit): RequestHandler {
  return async (req, res) => {
    const attempt = await guesses.begin(req, res)
    if ('reason' in attempt) {
      res.set({ 'Retry-After': String(attempt.seconds), 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      return explain(attempt.reason, req, res)
    }
    await services.accounts.requireWritable()
    // The key of a visitor who has disconnected must not be spent for nothing.
    if (res.closed) return attempt.end(false)
    const outcome = await authenticate(services.passport, startPath, req, res)
    await attempt.end(outcome.type === 'failed' && outcome.code === 'auth_key_rejected')
    if (outcome.type === 'login') {
      const isLink = field(outcome.info, 'state') === 'link'
      return isLink ? askToLink(services, outcome, req, res) : openAccount(services, outcome, req, res)
    }
    if (outcome.type === 'failed') return explain(outcome.code, req, res, outcome.error)
  }
}

function authenticate(passport: Authentication, strategy: string, req: Request, res: Response): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // The strategy itself responds to prefetches. A visitor who leaves does not end the response.
    res.once('close', () => res.writableEnded && resolve({ type: 'answered' }))
    const fail = (error: unknown): void => {
      if (error instanceof SocialLoginError) resolve({ type: 'failed', code: error.code, error })
      else reject(error)
    }
    const done = (error: unknown, login: Express.User | false | null | undefined, info: unknown): void => {
      if (error) fail(error)
      else if (login instanceof VerifiedLogin) resolve({ type: 'login', login, info })
      else resolve({ type: 'failed', code: field(info, 'code') ?? 'unknown' })
    }
    passport.authenticate(strategy, done)(req, res, fail)
  })
}

/** Redirects to the page that explains what failed. A user who is signed in was adding a login to their account. */
function explain(code: string, req: Request, res: Response, error?: SocialLoginError): void {
  if (error) req.log.error({ err: error, phase: error.phase }, 'login failed')
  else req.log.warn({ code }, 'login failed')
  res.redirect(303, req.user ? `/account?notice=${code}` : `/login?reason=${code}`)
}

/** Stores the login, and asks the signed-in user whether to add it to their account. */
async function askToLink(
  services: Services,
  { login, info }: LoginOutcome,
  req: Request,
  res: Response,
): Promise<void> {
  const { id: loginID, usedAt } = await services.accounts.recordLogin(login.input)
  const returnTo = returnPath(info, services.communities)
  const expiresAt = usedAt + CONFIRM_WITHIN_MS
  req.session.unconfirmed = { id: login.questionID, loginID, purpose: 'link', returnTo, expiresAt }
  await saveSession(req)
  res.redirect(303, '/login/confirm')
}

/** Stores the login, and signs in to its account. If it is new to this browser, the user must confirm it first. */
async function openAccount(services: Services, outcome: LoginOutcome, req: Request, res: Response): Promise<void> {
  const { accounts, knownLogins, communities } = services
  const { input, questionID } = outcome.login
  const { login, userID, isConfirmed } = await accounts.findOrCreate(input)
  const isKnown = knownLogins.has(req, login.id) && (isConfirmed || (await accounts.confirm(login.id, userID)))
  const returnTo = returnPath(outcome.info, communities)
  const expiresAt = login.usedAt + CONFIRM_WITHIN_MS
  const question = { id: questionID, loginID: login.id, purpose: 'sign-in', returnTo, expiresAt } as const
  await signIn(req, new NewSession(userID, login.id, isKnown ? undefined : question))
  res.redirect(303, isKnown ? returnTo : '/login/confirm')
}

/**
 * The path to open after a login: the one that it was started with, which the strategy has checked to be on this site.
 * Pages for signing in or out are replaced by the profile, because opening them would start another login.
 */
function returnPath(info: unknown, communities: Communities): string {
  const given = field(info, 'returnTo')
  if (given === undefined || mentionsKey(given)) return DEFAULT_RETURN_PATH
  const { pathname } = new URL(given, 'http://localhost')
  const path = `${pathname.replace(/\/{2,}/g, '/').toLowerCase()}/`
  const ofLogins = communities.flatMap(({ startPath, callbackPath }) => [startPath, callbackPath])
  const isRefused = [...NO_RETURN_TO, ...ofLogins].some((root) => path.startsWith(`${root.toLowerCase()}/`))
  return isRefused ? DEFAULT_RETURN_PATH : given
}
