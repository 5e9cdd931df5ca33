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
  // Quoted: connect
  // What Express has and Connect has not: the strategy sets headers by `req.res`, Passport redirects by `res.redirect`.
  app.use((req, res, next) => {
    req.res = res
    res.redirect = (location) => res.writeHead(302, { Location: location }).end()
    next()
  })
  const cookie = { sameSite: 'lax' }
  app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false, cookie }))
  app.use(passport.session())
  const finish = { failureRedirect: '/login', successReturnToOrRedirect: '/me' }
  app.use('/auth', passport.authenticate('social-login'))
  app.use('/callback', passport.authenticate('social-login', finish))
  // end
  app.use('/inbox-first', passport.authenticate('social-login', { returnTo: '/inbox' }))
  app.use('/me', (req, res) => {
    if (!req.user) res.statusCode = 401
    res.end(req.user?.name)
  })
  return createServer(app)
}, '/inbox-first')
