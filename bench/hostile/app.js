// An application with one strategy, in its own process, which reports the CPU time that it has used.
import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { CookieStore, Strategy } from '../../dist/lib/index.js'

process.once('message', ({ baseURL, clientID, clientSecret }) => {
  const passport = new Passport()
  const common = { baseURL, clientID, clientSecret }
  const verify = async (_accessToken, _refreshToken, profile) => ({ id: profile.id })
  const store = new CookieStore({ keys: ['0123456789abcdef0123456789abcdef'] })
  passport.use(new Strategy({ ...common, callbackURL: '/callback' }, verify))
  passport.use(new Strategy({ ...common, name: 'cookie', callbackURL: '/cookie/callback', store }, verify))
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  const start = (name) => (req, res, next) => {
    const returnTo = typeof req.query.returnTo === 'string' ? req.query.returnTo : undefined
    passport.authenticate(name, { returnTo })(req, res, next)
  }
  app.all('/auth', start('social-login'))
  app.all('/cookie', start('cookie'))
  app.get('/callback', passport.authenticate('social-login'), (_req, res) => res.end())
  app.get('/cookie/callback', passport.authenticate('cookie'), (_req, res) => res.end())
  app.get('/bare', (_req, res) => res.sendStatus(403))
  app.use((error, _req, res, _next) => res.status(error.status ?? 500).end())
  const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
  process.on('message', () => process.send({ cpu: process.cpuUsage() }))
})
