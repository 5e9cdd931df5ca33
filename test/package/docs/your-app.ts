import express, { type Express } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-social-login'

/** The application that the README's tests test. */
export function createApp(provider: { baseURL: string; clientID: string; clientSecret: string }): Express {
  const passport = new Passport()
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, (_accessToken, _refreshToken, profile) => profile),
  )
  passport.serializeUser((user, done) => done(null, JSON.stringify(user)))
  passport.deserializeUser((user, done) => done(null, JSON.parse(String(user))))
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }), passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login', { successRedirect: '/profile' }))
  app.get('/profile', (req, res) => {
    if (req.user && 'displayName' in req.user) res.send(`Hello, ${req.user.displayName}`)
    else res.sendStatus(401)
  })
  return app
}
