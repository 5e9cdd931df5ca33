// An Express application for the driver. Copied beside the main file of each consumer that needs no other.
const express = require('express')
const session = require('express-session')
const passport = require('passport')
const { Strategy } = require('passport-social-login')

/** @param options of the strategy, besides those of the provider */
exports.createServer = function createServer(provider, _place, options = {}) {
  passport.use(
    new Strategy(
      { ...provider, ...options, callbackURL: '/callback' },
      async (_accessToken, _refreshToken, profile) => ({ name: profile.displayName }),
    ),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }), passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login', { failureRedirect: '/login', successRedirect: '/me' }))
  app.get('/me', (req, res) => (req.user ? res.send(req.user.name) : res.sendStatus(401)))
  return app.listen(0, '127.0.0.1')
}
