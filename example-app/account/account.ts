import { Router } from 'express'
import type { Services } from '../auth/passport'
import { accountOf, requireUser, signOut } from '../auth/sign-in'
import { noticeFor } from '../views/messages'
import { accountPage } from '../views/pages'
import { sameOriginForms } from '../web/headers'
import { field, sendPage } from '../web/respond'

/** The account page: its logins can be added and removed, and all of its sessions ended. */
export function accountRoutes({ passport, accounts, sessions, communities }: Services): Router {
  const router = Router()
  router.use('/account', requireUser, sameOriginForms)

  router.get('/account', (req, res) => {
    const notice = noticeFor(field(req.query, 'notice'))
    sendPage(req, res, accountPage({ account: accountOf(req), communities, notice }))
  })

  // `authorize` does not replace the signed-in user. A community has only one redirect URL, so it redirects to the same
  // callback as for a login; the `state` tells the callback its purpose.
  for (const community of communities) {
    router.post(community.linkPath, passport.authorize(community.startPath, { state: 'link' }))
  }

  router.post('/account/unlink', async (req, res) => {
    const account = accountOf(req)
    const loginID = field(req.body, 'login') ?? ''
    if (!account.logins.some(({ id }) => id === loginID)) return res.redirect(303, '/account?notice=no_such_login')
    const providers = communities.map(({ name }) => name)
    const isRemoved = await accounts.unlink(loginID, account.id, providers)
    if (isRemoved && req.session.loginID === loginID) {
      await signOut(req, res)
      return res.redirect(303, '/login?reason=own_login_removed')
    }
    res.redirect(303, `/account?notice=${isRemoved ? 'removed' : 'last_login'}`)
  })

  router.post('/account/sign-out-everywhere', async (req, res) => {
    const { id } = accountOf(req)
    // The page may show the account of a user who was signed in to this browser before.
    if (field(req.body, 'account') !== id) return res.redirect(303, '/account?notice=other_account')
    await sessions.endAllOf(id)
    await signOut(req, res)
    res.redirect(303, '/login?reason=signed_out_everywhere')
  })
  return router
}
