import { randomUUID } from 'node:crypto'
import express, { type RequestHandler, Router } from 'express'
import passport from 'passport'
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
    question?: { id: string; account: Account }
  }
}

/**
 * Adds the routes that link a second account of the provider. Use them after `passport.session()`.
 * @param options those of your login, with the id, the secret and the callback URL of the second application
 * @param link stores the account for the user, and rejects if it belongs to another user
 */
export function linkRoutes(
  options: StrategyOptions,
  link: (user: Express.User, account: Account) => Promise<void>,
): Router {
  passport.use(
    'social-login-link',
    new Strategy<Account>(options, (_accessToken, _refreshToken, { provider, id, displayName }) => {
      return { provider, id, displayName } // no user is looked up or created
    }),
  )
  const requireUser: RequestHandler = (req, res, next) => (req.user ? next() : res.redirect('/login'))
  const authorize = passport.authorize('social-login-link', { failureRedirect: '/account' })
  const router = Router()

  // A POST: a redirect, such as that of a login to its `returnTo`, arrives as a GET and so cannot start a link.
  router.post('/account/link', requireUser, authorize)

  // `all`: with `tabBinding`, the callback is followed by a POST to the same address.
  router.all('/account/link/callback', requireUser, authorize, (req, res) => {
    // Fails if the user has signed out in the meantime. Without a reload, saving the session would undo that.
    req.session.reload((error) => {
      if (error) return res.redirect('/login')
      if (req.account) req.session.question = { id: randomUUID(), account: req.account }
      res.redirect('/account/link/confirm')
    })
  })

  router.get('/account/link/confirm', requireUser, (req, res) => {
    if (!req.session.question) return res.redirect('/account')
    const { id, account } = req.session.question
    // No other site may show this page in a frame, and have its button clicked there.
    res.set({ 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY' }).send(questionPage(id, account))
  })

  router.post('/account/link/confirm', requireUser, express.urlencoded({ extended: false }), async (req, res, next) => {
    if (req.get('sec-fetch-site') !== 'same-origin') return void res.sendStatus(403)
    const { user, session } = req
    // Another link has come back since that page was shown, so the session holds another account than the page.
    if (!user || !session.question || req.body?.id !== session.question.id) return res.redirect('/account/link/confirm')
    const { account } = session.question
    delete session.question
    try {
      await link(user, account)
    } catch (failure) {
      return next(failure) // In Express 4, a rejection would end the process.
    }
    res.redirect('/account')
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
