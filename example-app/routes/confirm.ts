import { type Request, type Response, Router } from 'express'
import { rememberLogin } from '../security/known-logins'
import { sameOriginForms } from '../security/same-origin'
import type { Accounts, Login } from '../storage/accounts'
import { idOf, type UnconfirmedLogin } from '../types'
import { confirmPage } from '../views/confirm'
import { field, saveSession, sendPage } from './answers'
import { signIn } from './sign-in'

// A second click comes here too: the login page sends whoever is signed in by then on to the profile.
const NOTHING_TO_CONFIRM = '/login?reason=confirm_expired'

/**
 * The protocol has no `state`: a link with somebody else's `auth_key`, sent at the right moment, could sign a person in
 * to an account that is not theirs. So a login that is new to this browser opens nothing before its person has seen it.
 */
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
    delete req.session.unconfirmed
    await saveSession(req)
    if (field(req.body, 'decision') !== 'continue') {
      return res.redirect(303, req.user ? '/account?notice=not_linked' : '/login?reason=not_me')
    }
    if (waiting.unconfirmed.purpose === 'link') return link(req, res, accounts, waiting.login)
    await signIn(req, await accounts.openAccount(waiting.login.id))
    rememberLogin(req, res, waiting.login.id)
    res.redirect(303, waiting.unconfirmed.returnTo)
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
