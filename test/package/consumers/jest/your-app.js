const express = require('express')
const session = require('express-session')
const { Passport } = require('passport')
const { Strategy } = require('passport-social-login')

exports.createApp = function createApp(provider) {
  const passport = new Passport()
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => profile),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }), passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  const outcome = { successRedirect: '/profile', failureRedirect: '/login', failureMessage: true }
  app.get('/callback', passport.authenticate('social-login', outcome))
  app.get('/login', (req, res) => res.send(req.session.messages?.pop()))
  app.get('/profile', (req, res) => (req.user ? res.send(`Hello, ${req.user.displayName}`) : res.sendStatus(401)))
  return app
}
