// A router of its own, the login in progress in the sealed cookie, and the strategy object instead of its name.
import express, { Router } from 'express'
import session from 'express-session'
import passport from 'passport'
import { CookieStore, Strategy } from 'passport-social-login'
import { play } from './driver.cjs'

await play((provider) => {
  const store = new CookieStore({ keys: ['0123456789abcdef0123456789abcdef'] })
  const strategy = new Strategy(
    { ...provider, callbackURL: '/callback', store, passReqToCallback: true },
    async (req, _accessToken, _refreshToken, profile) => ({ name: profile.displayName, path: req.path }),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const login = Router()
  login.get('/auth', passport.authenticate(strategy))
  login.get('/callback', passport.authenticate(strategy, { failureRedirect: '/login', successRedirect: '/me' }))
  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false, cookie: { sameSite: 'strict' } }))
  app.use(passport.session(), login)
  app.get('/me', (req, res) => (req.user ? res.send(req.user.name) : res.sendStatus(401)))
  return app.listen(0, '127.0.0.1')
})
