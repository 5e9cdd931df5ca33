// Connect routes by prefix, strips it from `req.url`, and has neither `req.query` nor `res.redirect`.
const connect = require('connect')
const session = require('express-session')
const passport = require('passport')
const { createServer } = require('node:http')
const { Strategy } = require('passport-social-login')
const { play } = require('./driver.cjs')

play(
  (provider) => {
    passport.use(
      new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => ({
        name: profile.displayName,
      })),
    )
    passport.serializeUser((user, done) => done(null, user))
    passport.deserializeUser((user, done) => done(null, user))
    const redirect = (res, location) => res.writeHead(302, { Location: location }).end()
    const app = connect()
    app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }))
    app.use(passport.session())
    app.use('/auth', passport.authenticate('social-login'))
    app.use('/callback', (req, res, next) =>
      passport.authenticate('social-login', (error, user) => {
        if (error) return next(error)
        if (!user) return redirect(res, '/login')
        req.logIn(user, (failure) => (failure ? next(failure) : redirect(res, '/me')))
      })(req, res, () => redirect(res, '/me')),
    )
    app.use('/me', (req, res) => {
      if (!req.user) res.statusCode = 401
      res.end(req.user?.name)
    })
    return createServer(app)
  },
  { hasConfirmPage: false },
)
