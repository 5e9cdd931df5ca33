import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Accounts, Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { noticeFor } from '../views/messages'
import { confirmPage } from '../views/pages'
import { sameOriginForms } from '../web/headers'
import { field, sendPage, wantsJSON } from '../web/respond'
import type { Services } from './passport'
import { SignedInAccount, saveSession, signOut } from './sign-in'

// A double click on "Continue" also ends here; the login page then redirects the signed-in user to their profile.
const NOTHING_TO_CONFIRM = '/login?reason=confirm_expired'

/**
 * The protocol has no `state`, so a link with someone else's `auth_key`, opened at the right moment, could sign a
 * user in to an account that is not theirs. Until the user has confirmed a login that is new to this browser, it
 * opens no page and can change nothing. (Programs may read the profile as JSON: they cannot answer the question.)
 */
export const confirmFirst: RequestHandler = async (req, res, next) => {
  const { unconfirmed } = req.session
  const isProgram = req.method === 'GET' && req.path === '/profile' && wantsJSON(req)
  if (unconfirmed?.purpose !== 'sign-in' || isProgram) return next()
  if (isAwaited(unconfirmed, req)) return res.redirect(303, '/login/confirm')
  await expire(req, res, unconfirmed)
  res.redirect(303, NOTHING_TO_CONFIRM)
}

export function confirmRoutes({ accounts, knownLogins, communities }: Services): Router {
  const router = Router()

  router.get('/login/confirm', async (req, res) => {
    const waiting = await waitingLogin(req, res, accounts)
    if (!waiting) return res.redirect(303, NOTHING_TO_CONFIRM)
    sendPage(req, res, confirmPage({ ...waiting, communities, notice: noticeFor(field(req.query, 'notice')) }))
  })

  router.post('/login/confirm', sameOriginForms, async (req, res) => {
    const waiting = await waitingLogin(req, res, accounts)
    if (!waiting) return res.redirect(303, NOTHING_TO_CONFIRM)
    const { unconfirmed } = waiting
    // The button was on an older page that asked about another login, so it does not answer the current question.
    if (field(req.body, 'confirmation') !== unconfirmed.id) {
      return res.redirect(303, '/login/confirm?notice=other_question')
    }
    const isMine = field(req.body, 'decision') === 'continue'
    const answer = { req, res, accounts, knownLogins, waiting }
    if (unconfirmed.purpose === 'link') return answerLink(answer, isMine)
    return isMine ? keepLogin(answer) : dropLogin(answer)
  })
  return router
}

interface Waiting {
  readonly unconfirmed: UnconfirmedLogin
  readonly login: Login
  readonly userID: string
  /** The login by which the account was opened in this browser. */
  readonly openedBy: Login | undefined
}

interface Answer extends Pick<Services, 'accounts' | 'knownLogins'> {
  readonly req: Request
  readonly res: Response
  readonly waiting: Waiting
}

async function waitingLogin(req: Request, res: Response, accounts: Accounts): Promise<Waiting | undefined> {
  const { unconfirmed } = req.session
  if (!unconfirmed) return undefined
  if (req.user instanceof SignedInAccount && isAwaited(unconfirmed, req)) {
    const { id, logins } = req.user
    const { loginID } = unconfirmed
    const login = logins.find((own) => own.id === loginID) ?? (await accounts.findLogin(loginID))
    const openedBy = logins.find((own) => own.id === req.session.loginID) ?? logins[0]
    if (login) return { unconfirmed, login, userID: id, openedBy }
  }
  await expire(req, res, unconfirmed)
  return undefined
}

/** Whether the question has not expired. */
function isAwaited({ expiresAt }: UnconfirmedLogin, { user }: Request): boolean {
  return user instanceof SignedInAccount && expiresAt > user.readAt
}

/** Ends a question that can no longer be answered. A user who was about to sign in is signed out. */
function expire(req: Request, res: Response, { purpose }: UnconfirmedLogin): Promise<void> {
  return purpose === 'sign-in' ? signOut(req, res) : removeQuestion(req)
}

function removeQuestion(req: Request): Promise<void> {
  delete req.session.unconfirmed
  return saveSession(req)
}

async function keepLogin({ req, res, accounts, knownLogins, waiting }: Answer): Promise<void> {
  const { login, unconfirmed, userID } = waiting
  // `confirm` returns false when "Not me" was pressed as well, here or in another browser, which deleted the account.
  if (!(await accounts.confirm(login.id, userID))) {
    await signOut(req, res)
    return res.redirect(303, NOTHING_TO_CONFIRM)
  }
  await removeQuestion(req)
  knownLogins.remember(req, res, login.id)
  res.redirect(303, unconfirmed.returnTo)
}

async function dropLogin({ req, res, accounts, waiting }: Answer): Promise<void> {
  await accounts.release(waiting.userID)
  await signOut(req, res)
  res.redirect(303, '/login?reason=not_me')
}

async function answerLink({ req, res, accounts, knownLogins, waiting }: Answer, isMine: boolean): Promise<void> {
  // The answer is stored before the question is removed, so that it can be given again if the database fails in
  // between.
  const notice = isMine ? await accounts.link(waiting.login.id, waiting.userID) : 'not_linked'
  await removeQuestion(req)
  if (notice === 'linked') knownLogins.remember(req, res, waiting.login.id)
  res.redirect(303, `/account?notice=${notice}`)
}
