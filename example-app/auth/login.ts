import { randomUUID } from 'node:crypto'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { SocialLoginError } from 'passport-social-login'
import type { Accounts, Login, LoginInput } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { loginPage } from '../views/pages'
import { throughBriefOutage } from '../web/errors'
import { sameOriginForms } from '../web/headers'
import { field, sendPage } from '../web/pages'
import { mentionsKey } from '../web/request-target'
import type { KnownLogins } from './cookies'
import { type Authentication, VerifiedLogin } from './passport'
import type { RejectedKeys } from './rejected-keys'
import { SignedInUser, saveSession, signIn, signOut } from './sign-in'

const CONFIRM_WITHIN_MS = 10 * 60 * 1000
const DEFAULT_RETURN_PATH = '/profile'
const NO_RETURN_TO = ['/login', '/logout', '/auth/social-login']

interface LoginRoutes {
  readonly passport: Authentication
  readonly accounts: Accounts
  readonly knownLogins: KnownLogins
  readonly rejectedKeys: RejectedKeys
  /** Throws where a login that succeeds could not be kept. */
  readonly requireSpace: () => void
  readonly callbackPath: string
  /** Host of the provider, for people. */
  readonly provider: string
}

/** Sign-in and sign-out: from the button to the session. */
export function loginRoutes(options: LoginRoutes): Router {
  const { passport, rejectedKeys, callbackPath, provider } = options
  const router = Router()

  router.get('/login', (req, res) => {
    if (req.user) return res.redirect(303, '/profile')
    const [reason, returnTo] = [field(req.query, 'reason'), field(req.query, 'returnTo')]
    sendPage(req, res, loginPage({ provider, reason, returnTo }))
  })

  const start: RequestHandler = (req, res, next) => {
    const returnTo = field(req.body, 'returnTo') ?? field(req.query, 'returnTo')
    passport.authenticate('social-login', {
      failureRedirect: '/login?reason=start_forbidden',
      ...(returnTo !== undefined && { returnTo }),
    })(req, res, next)
  }
  // The strategy checks itself where a start comes from, and has a page of its own for one that it cannot tell.
  router.route('/auth/social-login').all(rejectedKeys.guardStart).get(start).post(start)
  router.get(callbackPath, finishLogin(options), (_req, res) => res.redirect(303, '/profile'))

  router.post('/logout', sameOriginForms, async (req, res) => {
    // Whoever is not signed in may have a login under way, in another tab.
    if (req.user) await signOut(req, res)
    res.redirect(303, '/login?reason=signed_out')
  })
  return router
}

/** What Passport made of a callback. `again`: it came before (reload, back button). `left`: the visitor has gone. */
type Outcome =
  | { readonly type: 'login'; readonly input: LoginInput; readonly info: unknown }
  | { readonly type: 'failure'; readonly code: string }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'again' | 'left' }

/**
 * The callback. Whatever comes of it, the browser is sent on: the address of this request holds the `auth_key`, and no
 * page may be shown at it. What is thrown here does so, too: see `web/errors.ts`. `next` is called for a callback that comes
 * again.
 */
function finishLogin(options: LoginRoutes): RequestHandler {
  const { passport, rejectedKeys, requireSpace } = options
  return async (req, res, next) => {
    if (isSpeculative(req)) return refuseSpeculative(res)
    requireSpace()
    const outcome = await rejectedKeys.count(req, () => authenticate(passport, req, res), isRejected)
    if ('seconds' in outcome) return askToWait(outcome.reason, outcome.seconds, req, res)
    if (outcome.type === 'login') {
      const { input, info } = outcome
      return throughBriefOutage(() => keepLogin(options, input, info, req, res))
    }
    if (outcome.type === 'failure') return explainFailure(outcome.code, req, res)
    if (outcome.type === 'error') return explainError(outcome.error, req, res)
    if (outcome.type === 'again') next()
  }
}

/** Resolves when the provider has answered, or need not be asked. */
function authenticate(passport: Authentication, req: Request, res: Response): Promise<Outcome> {
  return new Promise((resolve) => {
    // Nobody is there to read the answer: the key stays unspent.
    if (res.closed) return resolve({ type: 'left' })
    const done = (error: unknown, login: Express.User | false | null | undefined, info: unknown): void => {
      if (error) resolve({ type: 'error', error })
      else if (login instanceof VerifiedLogin) resolve({ type: 'login', input: login.input, info })
      else resolve({ type: 'failure', code: field(info, 'code') ?? 'unknown' })
    }
    passport.authenticate('social-login', done)(req, res, (error: unknown) =>
      resolve(error ? { type: 'error', error } : { type: 'again' }),
    )
  })
}

/** A browser that looks ahead, for a person who may never come. */
function isSpeculative(req: Request): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => req.get(name) ?? '')
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose))
}

/** The strategy would do so too, without a word to us: such a callback would be under way for a minute. */
function refuseSpeculative(res: Response): void {
  res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  res.status(503).end()
}

function isRejected(outcome: Outcome): boolean {
  return outcome.type === 'failure' && outcome.code === 'auth_key_rejected'
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

/** Where a failure is said: whoever is signed in was about to add a login. */
function pageFor(code: string, req: Request): string {
  return req.user ? `/account?notice=${code}` : `/login?reason=${code}`
}

/** May be done twice: it only redirects once all is kept. */
async function keepLogin(
  { accounts, knownLogins, callbackPath }: LoginRoutes,
  input: LoginInput,
  info: unknown,
  req: Request,
  res: Response,
): Promise<void> {
  const returnTo = returnPath(field(info, 'returnTo'), callbackPath)
  if (field(info, 'state') === 'link') {
    req.session.unconfirmed = questionAbout(await accounts.recordLogin(input), 'link', returnTo)
    await saveSession(req)
    return res.redirect(303, '/login/confirm')
  }
  const { login, userID, isConfirmed } = await accounts.signIn(input)
  const isKnown = knownLogins.has(req, login.id) && (isConfirmed || (await accounts.confirm(login.id, userID)))
  const unconfirmed = isKnown ? undefined : questionAbout(login, 'sign-in', returnTo)
  await signIn(req, new SignedInUser(userID, login.id, unconfirmed))
  res.redirect(303, isKnown ? returnTo : '/login/confirm')
}

function questionAbout(
  { id: loginID, usedAt }: Login,
  purpose: UnconfirmedLogin['purpose'],
  returnTo: string,
): UnconfirmedLogin {
  return { id: randomUUID(), loginID, purpose, returnTo, expiresAt: usedAt + CONFIRM_WITHIN_MS }
}

/**
 * Where a login leads to: the path that it was begun with, which the strategy has checked to be one of ours. Not back
 * into signing in or out: "Continue" would begin another login.
 */
function returnPath(given: string | undefined, callbackPath: string): string {
  if (given === undefined || mentionsKey(given)) return DEFAULT_RETURN_PATH
  const { pathname } = new URL(given, 'http://localhost')
  const path = `${pathname.replace(/\/{2,}/g, '/').toLowerCase()}/`
  const isRefused = [...NO_RETURN_TO, callbackPath].some((root) => path.startsWith(`${root.toLowerCase()}/`))
  return isRefused ? DEFAULT_RETURN_PATH : given
}
