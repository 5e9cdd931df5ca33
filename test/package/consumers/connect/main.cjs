// Connect routes by prefix, strips it from `req.url`, and has neither `req.query` nor `res.redirect`.
const connect = require('connect')
const session = require('express-session')
const passport = require('passport')
const { randomBytes } = require('node:crypto')
const { createServer } = require('node:http')
const { Strategy } = require('passport-social-login')
const { play } = require('./driver.cjs')

play((provider) => {
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => ({
      name: profile.displayName,
    })),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = connect()
  process.env.SESSION_SECRET = randomBytes(32).toString('hex')
  // docs/guides/frameworks.md#connect, block 1
  app.use('/inbox-first', passport.authenticate('social-login', { returnTo: '/inbox' }))
  app.use('/me', (req, res) => {
    if (!req.user) res.statusCode = 401
    res.end(req.user?.name)
  })
  return createServer(app)
}, '/inbox-first')
