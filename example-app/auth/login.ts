import { type Request, type RequestHandler, type Response, Router } from 'express'
import { type PendingLoginSummary, SocialLoginError, type Strategy } from 'passport-social-login'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Accounts, Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { reasonFor } from '../views/messages'
import { loginPage } from '../views/pages'
import { HTTPError } from '../web/errors'
import { sameOriginForms } from '../web/headers'
import { mentionsKey } from '../web/request-target'
import { field, sendPage } from '../web/respond'
import type { Communities, Community } from './communities'
import type { KnownLogins } from './cookies'
import { GuessLimit } from './limit-guesses'
import { type Authentication, VerifiedLogin } from './passport'
import { SignedInUser, saveSession, signIn, signOut } from './sign-in'

const CONFIRM_WITHIN_MS = 10 * 60 * 1000
const DEFAULT_RETURN_PATH = '/profile'
const NO_RETURN_TO = ['/login', '/logout']

interface LoginRoutes {
  readonly passport: Authentication
  readonly strategy: Strategy
  readonly accounts: Accounts
  readonly knownLogins: KnownLogins
  readonly guessLimiter: RateLimiterAbstract
  readonly communities: Communities
}

/** The login page, sign-out, and for each community the start of a login and its callback. */
export function loginRoutes(options: LoginRoutes): Router {
  const { communities } = options
  const router = Router()

  router.get('/login', async (req, res) => {
    const told = field(req.query, 'reason')
    if (req.user) return res.redirect(303, isTrouble(told) ? `/account?notice=${told}` : '/profile')
    // A person who cancels at the provider is not sent back by it, and comes here sooner or later.
    const unfinished = await unfinishedLogin(options, req)
    const reason = told ?? (unfinished && 'not_finished')
    const returnTo = field(req.query, 'returnTo') ?? unfinished?.returnTo
    sendPage(req, res, loginPage({ communities: communities.list, reason, returnTo }))
  })

  for (const community of communities.list) addLogin(router, community, options)

  router.post('/logout', sameOriginForms, async (req, res) => {
    // Without a signed-in user there is nothing to end, and a login in progress in another tab must not be lost.
    if (req.user) await signOut(req, res)
    res.redirect(303, '/login?reason=signed_out')
  })
  return router
}

function addLogin(router: Router, community: Community, options: LoginRoutes): void {
  const { passport, communities } = options
  const guesses = new GuessLimit(options.guessLimiter, community.startPath)
  const start: RequestHandler = (req, res, next) => {
    const returnTo = field(req.body, 'returnTo') ?? field(req.query, 'returnTo')
    passport.authenticate('social-login', {
      failureRedirect: '/login?reason=start_forbidden',
      ...(returnTo !== undefined && { returnTo }),
    })(req, res, next)
  }
  const choose = communities.forRoutesOf(community)
  const refuseGuessers: RequestHandler = async (req, res, next) => {
    const seconds = await guesses.secondsToWait(req)
    if (seconds === 0) return next()
    res.set('Retry-After', String(seconds))
    next(new HTTPError(429, reasonFor('too_many_rejected')))
  }
  // The strategy itself checks that the request came from this site, and shows a page of its own when it cannot tell.
  router.route(community.startPath).all(refuseGuessers, choose).get(start).post(start)
  router.get(community.callbackPath, choose, finishLogin(options, guesses), (_req, res) =>
    res.redirect(303, '/profile'),
  )
}

/** Why a callback failed before the database could tell that somebody is signed in. */
function isTrouble(reason: string | undefined): boolean {
  return reason === 'database_unavailable' || reason === 'failed_here'
}

/** The login that this browser has begun, at whichever community, and can still finish. */
async function unfinishedLogin(
  { strategy, communities }: LoginRoutes,
  req: Request,
): Promise<PendingLoginSummary | undefined> {
  for (const community of communities.list) {
    communities.choose(req, community)
    const pending = await strategy.pendingLogin(req)
    if (pending) return pending
  }
  return undefined
}

/** What became of a callback. `again`: it was handled before (reload, back button). `answered`: the strategy has responded. */
type Outcome =
  | { readonly type: 'login'; readonly login: VerifiedLogin; readonly info: unknown }
  | { readonly type: 'failure'; readonly code: string }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'again' }
  | { readonly type: 'answered' }

/**
 * Handles the provider's callback. It always ends in a redirect, because the URL of this request contains the `auth_key`
 * and no page may be shown at it. Errors thrown here also end in a redirect: see `errorPage`. `next` is called for a
 * callback that was handled before.
 */
function finishLogin(options: LoginRoutes, guesses: GuessLimit): RequestHandler {
  return async (req, res, next) => {
    const attempt = await guesses.begin(req, res)
    if ('reason' in attempt) return askToWait(attempt.reason, attempt.seconds, req, res)
    // Otherwise the key of a visitor who has disconnected would be spent for nothing.
    const outcome: Outcome = res.closed ? { type: 'answered' } : await authenticate(options.passport, req, res)
    await attempt.end(outcome.type === 'failure' && outcome.code === 'auth_key_rejected')
    if (outcome.type === 'login') return completeLogin(options, outcome.login, outcome.info, req, res)
    if (outcome.type === 'failure') return explainFailure(outcome.code, req, res)
    if (outcome.type === 'error') return explainError(outcome.error, req, res)
    if (outcome.type === 'again') next()
  }
}

function authenticate(passport: Authentication, req: Request, res: Response): Promise<Outcome> {
  return new Promise((resolve) => {
    // The strategy itself responds to prefetches. A visitor who leaves does not end the response.
    res.once('close', () => res.writableEnded && resolve({ type: 'answered' }))
    const done = (error: unknown, login: Express.User | false | null | undefined, info: unknown): void => {
      if (error) resolve({ type: 'error', error })
      else if (login instanceof VerifiedLogin) resolve({ type: 'login', login, info })
      else resolve({ type: 'failure', code: field(info, 'code') ?? 'unknown' })
    }
    passport.authenticate('social-login', done)(req, res, (error: unknown) =>
      resolve(error ? { type: 'error', error } : { type: 'again' }),
    )
  })
}

function askToWait(reason: string, seconds: number, req: Request, res: Response): void {
  req.log.warn({ code: reason }, 'login not attempted')
  res.set({ 'Retry-After': String(seconds), 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  res.redirect(303, pageFor(reason, req))
}

function explainFailure(code: string, req: Request, res: Response): void {
  req.log.warn({ code }, 'login failed')
  res.redirect(303, pageFor(code, req))
}

function explainError(error: unknown, req: Request, res: Response): void {
  if (!(error instanceof SocialLoginError)) throw error
  req.log.error({ err: error, phase: error.phase }, 'login failed')
  res.redirect(303, pageFor(error.code, req))
}

/** The page that explains a failure. A person who is signed in was adding a login to their account. */
function pageFor(code: string, req: Request): string {
  return req.user ? `/account?notice=${code}` : `/login?reason=${code}`
}

/** Stores the login, and signs in or asks the person whether the login is theirs. */
async function completeLogin(
  { accounts, knownLogins, communities }: LoginRoutes,
  { input, questionID }: VerifiedLogin,
  info: unknown,
  req: Request,
  res: Response,
): Promise<void> {
  const returnTo = returnPath(field(info, 'returnTo'), communities)
  if (field(info, 'state') === 'link') {
    req.session.unconfirmed = questionAbout(await accounts.recordLogin(input), 'link', returnTo, questionID)
    await saveSession(req)
    return res.redirect(303, '/login/confirm')
  }
  const { login, userID, isConfirmed } = await accounts.signIn(input)
  const isKnown = knownLogins.has(req, login.id) && (isConfirmed || (await accounts.confirm(login.id, userID)))
  const unconfirmed = isKnown ? undefined : questionAbout(login, 'sign-in', returnTo, questionID)
  await signIn(req, new SignedInUser(userID, login.id, unconfirmed))
  res.redirect(303, isKnown ? returnTo : '/login/confirm')
}

function questionAbout(
  { id: loginID, usedAt }: Login,
  purpose: UnconfirmedLogin['purpose'],
  returnTo: string,
  id: string,
): UnconfirmedLogin {
  return { id, loginID, purpose, returnTo, expiresAt: usedAt + CONFIRM_WITHIN_MS }
}

/**
 * The path to open after a login: the one that it was started with, which the strategy has checked to be on this site.
 * Pages for signing in or out are replaced by the profile, because opening them would start another login.
 */
function returnPath(given: string | undefined, communities: Communities): string {
  if (given === undefined || mentionsKey(given)) return DEFAULT_RETURN_PATH
  const { pathname } = new URL(given, 'http://localhost')
  const path = `${pathname.replace(/\/{2,}/g, '/').toLowerCase()}/`
  const ofLogins = communities.list.flatMap(({ startPath, callbackPath }) => [startPath, callbackPath])
  const isRefused = [...NO_RETURN_TO, ...ofLogins].some((root) => path.startsWith(`${root.toLowerCase()}/`))
  return isRefused ? DEFAULT_RETURN_PATH : given
}
