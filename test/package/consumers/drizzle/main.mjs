// The application of docs/guides/accounts.md.
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-social-login'
import * as file from './accounts.mjs'
import { play } from './driver.cjs'

// With Drizzle, it is a promise, and the page says to await it.
const opened = await file.openAccounts('app.db')
const openAccounts = () => opened

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
