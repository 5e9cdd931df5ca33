import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { type AuthenticateOptions, type Profile, Strategy, type StrategyOptions } from 'passport-social-login'
import { play } from './driver.cjs'

// The application's own user, as Passport's types want it: with it as type argument, verify must make one.
declare global {
  namespace Express {
    interface User {
      name: string
    }
  }
}

const start: AuthenticateOptions = { returnTo: '/me', state: 'cart-7' }

export const wrong = (options: StrategyOptions<false>): Strategy =>
  // @ts-expect-error verify makes no user of this application
  new Strategy<Express.User>(options, async (_accessToken, _refreshToken, profile) => ({ title: profile.displayName }))

await play((provider) => {
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile: Profile) => ({
      name: profile.displayName,
    })),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }), passport.session())
  app.get('/auth', passport.authenticate('social-login', start))
  app.get('/callback', passport.authenticate('social-login', { failureRedirect: '/login', successRedirect: '/me' }))
  app.get('/me', (req, res) => {
    if (req.user) res.send(req.user.name)
    else res.sendStatus(401)
  })
  return app.listen(0, '127.0.0.1')
})
