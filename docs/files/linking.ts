import { randomUUID } from 'node:crypto'
import express, { type Request, type RequestHandler, Router } from 'express'
import type {} from 'express-session'
import type { PassportStatic } from 'passport'
import { Strategy, type StrategyOptions } from 'passport-social-login'

export interface Account {
  provider: string
  id: string
  displayName: string
}
declare global {
  namespace Express {
    interface Request {
      account?: Account // what passport.authorize found
    }
  }
}
declare module 'express-session' {
  interface SessionData {
    question?: { id: string; userID: string; account: Account }
  }
}

/**
 * Adds the routes that link a second account of the provider. Use them after `passport.session()`. They end at
 * `/account?notice=…`: `linked`, `in-use` (another user has this account), or `not-linked` (the login failed).
 * @param passport that of your application
 * @param options those of your login, with the id, the secret and the callback URL of the second application
 * @param userIDOf the id of a signed-in user
 * @param link stores the account for the user; its promise resolves with false if another user has it
 */
export function linkRoutes(
  passport: InstanceType<PassportStatic['Passport']>,
  options: StrategyOptions,
  userIDOf: (user: Express.User) => string,
  link: (userID: string, account: Account) => Promise<boolean>,
): Router {
  passport.use(
    'social-login-link',
    new Strategy<Account>(options, (_accessToken, _refreshToken, { provider, id, displayName }) => {
      return { provider, id, displayName } // no user is looked up or created
    }),
  )
  const requireUser: RequestHandler = (req, res, next) => (req.user ? next() : res.redirect('/login'))
  const authorize = passport.authorize('social-login-link', { failureRedirect: '/account?notice=not-linked' })
  const router = Router()

  // A POST: a redirect, such as that of a login to its `returnTo`, arrives as a GET and so cannot start a link.
  router.post('/account/link', requireUser, authorize)

  // `all`: with `tabBinding`, the callback is followed by a POST to the same address.
  router.all('/account/link/callback', requireUser, authorize, (req, res) => {
    // Fails if the user has signed out in the meantime. Without a reload, saving the session would undo that.
    req.session.reload((error) => {
      if (error || !req.user) return res.redirect('/login')
      if (req.account) req.session.question = { id: randomUUID(), userID: userIDOf(req.user), account: req.account }
      res.redirect('/account/link/confirm')
    })
  })

  // A session that outlives a sign-out, as with `keepSessionInfo`, may hold the question of another user.
  const questionOf = ({ session, user }: Request) =>
    user && session.question?.userID === userIDOf(user) ? session.question : undefined

  router.get('/account/link/confirm', requireUser, (req, res) => {
    const question = questionOf(req)
    if (!question) return res.redirect('/account')
    const { id, account } = question
    // No other site may show this page in a frame, and have its button clicked there.
    res.set({ 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY' }).send(questionPage(id, account))
  })

  router.post('/account/link/confirm', requireUser, express.urlencoded({ extended: false }), async (req, res, next) => {
    if (req.get('sec-fetch-site') !== 'same-origin') return void res.sendStatus(403)
    const question = questionOf(req)
    // Another link may have come back since that page was shown: the session then holds another account than the page.
    if (!question || req.body?.id !== question.id) return res.redirect('/account/link/confirm')
    delete req.session.question
    try {
      const isLinked = await link(question.userID, question.account)
      res.redirect(`/account?notice=${isLinked ? 'linked' : 'in-use'}`)
    } catch (failure) {
      next(failure) // In Express 4, a rejection would end the process.
    }
  })
  return router
}

const escapeHTML = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** inert-form.mjs enables the form after it has been visible for 0.8 seconds. */
function questionPage(id: string, { displayName }: Account): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Add this account?</title>
<h1>Add this account?</h1>
<p>${escapeHTML(displayName)} could then sign in to your account.</p>
<form method="post" inert>
  <input type="hidden" name="id" value="${id}">
  <button>Add it</button>
</form>
<p><a href="/account">Cancel</a></p>
<script type="module" src="/inert-form.mjs"></script>
</html>`
}
