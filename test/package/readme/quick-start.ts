// README: quick start
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { type AuthenticateOptions, Strategy } from 'passport-social-login'

const { SOCIAL_BASE_URL = '', SOCIAL_CLIENT_ID = '', SOCIAL_CLIENT_SECRET = '', SESSION_SECRET = '' } = process.env

const users = new Map<string, { id: string; name: string }>() // your database

passport.use(
  new Strategy(
    {
      baseURL: SOCIAL_BASE_URL, // such as https://social.example/api/v1
      clientID: SOCIAL_CLIENT_ID,
      clientSecret: SOCIAL_CLIENT_SECRET,
      callbackURL: '/auth/social-login/callback', // or the whole registered URL: see "Behind a proxy"
    },
    async (_accessToken, _refreshToken, profile) => {
      const user = { id: `${profile.provider}:${profile.id}`, name: profile.displayName }
      users.set(user.id, user)
      return user
    },
  ),
)
passport.serializeUser((user, done) => done(null, Reflect.get(user, 'id')))
passport.deserializeUser((id, done) => done(null, users.get(String(id)) ?? false))

const app = express()
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(passport.session())

app.get('/login', (req, res) => {
  // Whoever is signed in got here by a second visit to the callback.
  if (req.user) res.redirect('/profile')
  else res.send('<a href="/auth/social-login">Sign in</a>')
})
const start: AuthenticateOptions = { returnTo: '/profile' }
app.get('/auth/social-login', passport.authenticate('social-login', start))
app.get(
  '/auth/social-login/callback',
  passport.authenticate('social-login', { failureRedirect: '/login' }),
  (_req, res) => res.redirect('/profile'),
)
app.get('/profile', (req, res) => {
  res.json(req.user ?? 'Nobody is signed in.')
})
app.post('/logout', (req, res, next) => {
  req.logout((error) => (error ? next(error) : res.redirect('/login')))
})

app.listen(Number(process.env['PORT'] ?? 3000), 'localhost')
// end
