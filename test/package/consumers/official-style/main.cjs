// An application as Passport's own examples are written: the package is the constructor, and everything calls back.
var assert = require('node:assert')
var express = require('express')
var ensureLogIn = require('connect-ensure-login').ensureLoggedIn
var passport = require('passport')
var session = require('express-session')
var SocialLoginStrategy = require('passport-social-login')
const { play } = require('./driver.cjs')

assert.strictEqual(SocialLoginStrategy.Strategy, SocialLoginStrategy)
assert.strictEqual(typeof SocialLoginStrategy.CookieStore, 'function')

var people = []

function findOrCreate(profile, cb) {
  process.nextTick(() => {
    var person = people.find((each) => each.provider === profile.provider && each.subject === profile.id)
    if (person) return cb(null, person)
    person = { id: people.length + 1, provider: profile.provider, subject: profile.id, name: profile.displayName }
    people.push(person)
    return cb(null, person)
  })
}

play(function createServer(provider) {
  passport.use(
    new SocialLoginStrategy(
      {
        baseURL: provider.baseURL,
        clientID: provider.clientID,
        clientSecret: provider.clientSecret,
        callbackURL: '/callback',
      },
      function verify(accessToken, refreshToken, profile, cb) {
        findOrCreate(profile, (err, person) => {
          if (err) return cb(err)
          return cb(null, person)
        })
      },
    ),
  )

  passport.serializeUser((user, cb) => {
    process.nextTick(() => {
      cb(null, { id: user.id, username: user.username, name: user.name })
    })
  })

  passport.deserializeUser((user, cb) => {
    process.nextTick(() => cb(null, user))
  })

  var app = express()
  var router = express.Router()
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))
  app.use(passport.authenticate('session'))

  router.get('/auth', passport.authenticate('social-login'))
  router.get(
    '/callback',
    passport.authenticate('social-login', { successReturnToOrRedirect: '/me', failureRedirect: '/login' }),
  )
  router.get('/auth/inbox', passport.authenticate('social-login', { returnTo: '/inbox' }))
  router.get('/me', (req, res, next) => {
    // The driver expects a status of somebody who is signed out, and no redirect.
    if (!req.isAuthenticated()) return res.sendStatus(401)
    next()
  })
  router.get('/me', ensureLogIn('/login'), (req, res) => {
    res.send(req.user.name)
  })
  router.post('/logout', (req, res, next) => {
    req.logout((err) => {
      if (err) return next(err)
      res.redirect('/')
    })
  })
  app.use('/', router)
  return app.listen(0, '127.0.0.1')
}, '/auth/inbox')
