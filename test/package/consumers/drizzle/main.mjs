// The application of docs/guides/accounts.md.
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-social-login'
import { openAccounts } from './accounts.mjs'
import { play } from './driver.cjs'

await play(async (provider) => {
  const options = { ...provider, callbackURL: '/callback' }
  // docs/guides/accounts.md#accounts-in-sqlite, block 1

  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login', { failureRedirect: '/login', successRedirect: '/me' }))
  app.get('/me', (req, res) => (req.user ? res.send(req.user.name) : res.sendStatus(401)))
  return app.listen(0, '127.0.0.1')
})
