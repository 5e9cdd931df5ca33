import { type Request, type RequestHandler, type Response, Router } from 'express'
import { rememberLogin } from '../security/known-logins'
import { sameOriginForms } from '../security/same-origin'
import type { Accounts, Login } from '../storage/accounts'
import { idOf, type UnconfirmedLogin } from '../types'
import { confirmPage } from '../views/confirm'
import { field, saveSession, sendPage, wantsJSON } from './answers'
import { signOut } from './sign-in'

// A second click comes here too: the login page sends whoever is signed in by then on to the profile.
const NOTHING_TO_CONFIRM = '/login?reason=confirm_expired'

/**
 * The protocol has no `state`: a link with somebody else's `auth_key`, sent at the right moment, could sign a person in
 * to an account that is not theirs. So a login that is new to this browser shows no page before its person has seen it,
 * and can change nothing. (Programs that read JSON go on: there is nobody to ask, and nothing to fill in.)
 */
export const confirmFirst: RequestHandler = (req, res, next) => {
  const { unconfirmed } = req.session
  if (unconfirmed?.purpose !== 'sign-in' || (req.method === 'GET' && wantsJSON(req))) return next()
  if (unconfirmed.expiresAt > Date.now()) return res.redirect(303, '/login/confirm')
  signOut(req)
    .then(() => res.redirect(303, NOTHING_TO_CONFIRM))
    .catch(next)
}

export function confirmRoutes(accounts: Accounts, providerOrigin: string): Router {
  const router = Router()

  router.get('/login/confirm', async (req, res) => {
    const waiting = await waitingLogin(req, accounts)
    if (!waiting) return res.redirect(303, NOTHING_TO_CONFIRM)
    sendPage(req, res, confirmPage(waiting.login, waiting.unconfirmed.purpose, providerOrigin))
  })

  router.post('/login/confirm', sameOriginForms, async (req, res) => {
    const waiting = await waitingLogin(req, accounts)
    if (!waiting) return res.redirect(303, NOTHING_TO_CONFIRM)
    const { login, unconfirmed } = waiting
    const isConfirmed = field(req.body, 'decision') === 'continue'
    if (unconfirmed.purpose === 'sign-in' && !isConfirmed) {
      await signOut(req)
      return res.redirect(303, '/login?reason=not_me')
    }
    delete req.session.unconfirmed
    await saveSession(req)
    if (!isConfirmed) return res.redirect(303, '/account?notice=not_linked')
    if (unconfirmed.purpose === 'link') return link(req, res, accounts, login)
    rememberLogin(req, res, login.id)
    res.redirect(303, unconfirmed.returnTo)
  })
  return router
}

interface Waiting {
  readonly unconfirmed: UnconfirmedLogin
  readonly login: Login
}

async function waitingLogin(req: Request, accounts: Accounts): Promise<Waiting | undefined> {
  const { unconfirmed } = req.session
  if (!unconfirmed || unconfirmed.expiresAt < Date.now()) return undefined
  const login = await accounts.findLogin(unconfirmed.loginID)
  return login && { unconfirmed, login }
}

async function link(req: Request, res: Response, accounts: Accounts, login: Login): Promise<void> {
  if (!req.user) return res.redirect(303, '/login?reason=user_changed')
  const isLinked = await accounts.link(login.id, idOf(req.user))
  if (isLinked) rememberLogin(req, res, login.id)
  res.redirect(303, `/account?notice=${isLinked ? 'linked' : 'taken'}`)
}
