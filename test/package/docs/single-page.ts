import type { Application } from 'express'
import passport from 'passport'

export function singlePage(app: Application): void {
  // Quoted: single page
  const finishLogin = passport.authenticate('social-login', { failureRedirect: '/login-done.html' })
  app.get('/auth/social-login/callback', finishLogin, (req, res) => res.redirect(req.authInfo?.returnTo ?? '/'))

  app.use('/api', (req, res, next) => {
    res.set('Cache-Control', 'no-store')
    if (req.user) next()
    else res.sendStatus(401) // not a redirect, which `fetch` would follow
  })
  app.get('/api/me', (req, res) => void res.json(req.user))
  app.post('/api/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.sendStatus(204))))
  // end
}
