import express, { type ErrorRequestHandler } from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from '../../../lib'
import { port } from '../../support/listen'

// An application in a process of its own. It prints its port. `BROKEN` tells what is wrong with it.

const { BROKEN = '', ...env } = process.env
const broken = (what: string): boolean => BROKEN === what

passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user: Express.User, done) => done(null, user))
passport.use(
  new Strategy(
    {
      baseURL: env['SOCIAL_BASE_URL'] ?? '',
      clientID: env['SOCIAL_CLIENT_ID'] ?? '',
      clientSecret: broken('secret') ? 'another-secret' : (env['SOCIAL_CLIENT_SECRET'] ?? ''),
      callbackURL: '/callback',
    },
    (_token, _refreshToken, profile, done) => {
      if (broken('verify throws')) throw new Error('no such column: nickname')
      done(null, broken('verify refuses') ? false : { id: profile.id })
    },
  ),
)

const app = express()
app.use((req, res, next) => {
  if (broken('slash') && req.path === '/auth') res.redirect(301, '/auth/')
  else if (broken('login page') && req.path === '/auth') res.redirect('/login')
  else if (broken('start fails') && req.path === '/auth') next(new Error('no such table: sessions'))
  else next()
})
app.enable('strict routing')
const cookie = {
  ...(broken('strict') && { sameSite: 'strict' as const }),
  ...(BROKEN.startsWith('secure') && { secure: true }),
}
if (broken('secure'))
  app.use((req, _res, next) => {
    // As behind a proxy that speaks https.
    Object.defineProperty(req, 'secure', { value: true })
    next()
  })
app.use(session({ secret: 'for tests', resave: false, saveUninitialized: false, cookie }))
app.use(passport.session())
app.get(broken('slash') ? '/auth/' : '/auth', passport.authenticate('social-login'))
const success = broken('both to /') ? '/' : '/profile'
const answers = {
  failureRedirect: broken('failure to /') ? '/' : '/?failed',
  failureMessage: true,
  successRedirect: success,
}
if (!broken('no callback')) app.get('/callback', passport.authenticate('social-login', answers))
app.get('/profile', (req, res) => void res.send(req.user ?? 'nobody'))
app.get('/', (_req, res) => void res.send('home'))
const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(`<pre>${error}</pre>`)
app.use(onError)
const server = app.listen(0, '127.0.0.1', () => console.log(port(server)))
