import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { SocialLoginError } from 'passport-social-login'
import type { Authentication } from '../passport'
import type { Login, LoginInput } from '../storage/accounts'
import { SignedInUser, type UnconfirmedLogin, VerifiedLogin } from '../types'
import { field, saveSession } from './answers'
import type { LoginRoutes } from './login'
import { throughBriefOutage } from './outage'
import { returnPath } from './return-path'
import { signIn } from './sign-in'

/** What Passport made of a callback. `again`: it came before (reload, back button). `left`: the visitor has gone. */
type Outcome =
  | { readonly type: 'login'; readonly input: LoginInput; readonly info: unknown }
  | { readonly type: 'failure'; readonly code: string }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'again' | 'left' }

const CONFIRM_WITHIN_MS = 10 * 60 * 1000

/**
 * The callback. Whatever comes of it, the browser is sent on: the address of this request holds the `auth_key`, and no
 * page may be shown at it. What is thrown here does so, too: see errors.ts. `next` is called for a callback that comes
 * again.
 */
export function finishLogin(parts: LoginRoutes): RequestHandler {
  const { passport, rejectedKeys, requireSpace } = parts
  return async (req, res, next) => {
    if (isSpeculative(req)) return refuseSpeculative(res)
    requireSpace()
    const outcome = await rejectedKeys.count(req, () => authenticate(passport, req, res), isRejected)
    if ('seconds' in outcome) return askToWait(outcome.reason, outcome.seconds, req, res)
    if (outcome.type === 'login') {
      const { input, info } = outcome
      return throughBriefOutage(() => welcome(parts, input, info, req, res))
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
  req.log.warn({ code: reason }, 'login not tried')
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
async function welcome(
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
