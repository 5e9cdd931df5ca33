import express, { type Express } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-social-login'
import { linkRoutes } from './linking'

declare module 'express-session' {
  interface SessionData {
    messages?: string[]
  }
}

interface Provider {
  baseURL: string
  clientID: string
  clientSecret: string
  sessionSecret?: string
  link?: { clientID: string; clientSecret: string }
}

/** The application of the README, as a function that does not listen. */
export function createApp({ link, sessionSecret = 'for tests', ...provider }: Provider): Express {
  const passport = new Passport()
  const options = { ...provider, callbackURL: '/auth/social-login/callback' }
  passport.use(
    new Strategy(options, async (_accessToken, _refreshToken, profile) => {
      if (profile.name?.givenName === 'Eve') return false
      return { id: profile.id, name: profile.displayName }
    }),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))

  const app = express()
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(passport.session())
  app.get('/auth/social-login', passport.authenticate('social-login', { returnTo: '/profile' }))
  const onFailure = { failureRedirect: '/', failureMessage: true }
  app.get('/auth/social-login/callback', passport.authenticate('social-login', onFailure), (req, res) => {
    res.redirect(req.authInfo?.returnTo ?? '/')
  })
  app.get('/', (req, res) =>
    res.send(`<p>${req.session.messages?.pop() ?? ''}</p> <a href="/auth/social-login">Sign in</a>`),
  )
  app.get('/profile', (req, res) => res.json(req.user ?? null))
  if (link) {
    const linkOptions = { ...options, ...link, callbackURL: '/account/link/callback' }
    app.use(
      linkRoutes(
        passport,
        linkOptions,
        (user) => JSON.stringify(user),
        async () => true,
      ),
    )
  }
  return app
}
