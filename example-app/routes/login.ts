import { type RequestHandler, Router } from 'express'
import type { Authentication } from '../passport'
import type { KnownLogins } from '../security/known-logins'
import type { RejectedKeys } from '../security/rejected-keys'
import { sameOriginForms } from '../security/same-origin'
import type { Accounts } from '../storage/accounts'
import { loginPage } from '../views/login'
import { field, sendPage } from './answers'
import { finishLogin } from './finish-login'
import { signOut } from './sign-in'

export interface LoginRoutes {
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
export function loginRoutes(parts: LoginRoutes): Router {
  const { passport, rejectedKeys, callbackPath, provider } = parts
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
  router.get(callbackPath, finishLogin(parts), (_req, res) => res.redirect(303, '/profile'))

  router.post('/logout', sameOriginForms, async (req, res) => {
    // Whoever is not signed in may have a login under way, in another tab.
    if (req.user) await signOut(req, res)
    res.redirect(303, '/login?reason=signed_out')
  })
  return router
}
