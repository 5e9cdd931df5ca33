import type { Request, RequestHandler, Response } from 'express'
import { SocialLoginError } from 'passport-social-login'
import { isKnownLogin } from '../security/known-logins'
import { idOf } from '../types'
import { field, saveSession } from './answers'
import type { LoginRoutes } from './login'
import { signIn } from './sign-in'

/** A login, or none. */
type Answer = Express.User | false | null | undefined

const CONFIRM_WITHIN_MS = 10 * 60 * 1000

/**
 * The callback. Whatever comes of it, the browser is sent on: the address of this request holds the `auth_key`, and no
 * page must ever be shown at it. `next` is called for a callback that comes again (reload, back button).
 */
export function finishLogin(parts: Pick<LoginRoutes, 'passport' | 'accounts' | 'rejectedKeys'>): RequestHandler {
  return (req, res, next) => {
    const done = async (error: unknown, login: Answer, info: unknown): Promise<void> => {
      if (error) return explainError(error, req, res)
      if (login) return welcome(parts, idOf(login), info, req, res)
      const code = field(info, 'code') ?? 'unknown'
      if (code === 'auth_key_rejected') await parts.rejectedKeys.count(req)
      req.log.warn({ code }, 'login failed')
      res.redirect(303, pageFor(code, req))
    }
    parts.passport.authenticate('social-login', (error: unknown, login: Answer, info: unknown) => {
      done(error, login, info).catch(next)
    })(req, res, next)
  }
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

async function welcome(
  { accounts }: Pick<LoginRoutes, 'accounts'>,
  loginID: string,
  info: unknown,
  req: Request,
  res: Response,
): Promise<void> {
  const returnTo = field(info, 'returnTo') ?? '/profile'
  const isLink = field(info, 'state') === 'link'
  if (!isLink) await signIn(req, await accounts.openAccount(loginID))
  if (!isLink && isKnownLogin(req, loginID)) return res.redirect(303, returnTo)
  const purpose = isLink ? 'link' : 'sign-in'
  req.session.unconfirmed = { loginID, purpose, returnTo, expiresAt: Date.now() + CONFIRM_WITHIN_MS }
  await saveSession(req)
  res.redirect(303, '/login/confirm')
}
