import express, { type Express } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-social-login'

declare module 'express-session' {
  interface SessionData {
    messages?: string[]
  }
}

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
  const outcome = { successRedirect: '/profile', failureRedirect: '/login', failureMessage: true }
  app.get('/callback', passport.authenticate('social-login', outcome))
  app.get('/login', (req, res) => res.send(req.session.messages?.pop()))
  app.get('/profile', (req, res) => {
    if (req.user && 'displayName' in req.user) res.send(`Hello, ${req.user.displayName}`)
    else res.sendStatus(401)
  })
  return app
}
