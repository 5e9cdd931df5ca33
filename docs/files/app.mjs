import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-social-login'

const { SOCIAL_BASE_URL = '', SOCIAL_CLIENT_ID = '', SOCIAL_CLIENT_SECRET = '', SESSION_SECRET } = process.env
if (!SESSION_SECRET) throw new Error('SESSION_SECRET is missing')

const options = {
  baseURL: SOCIAL_BASE_URL, // such as https://social.example/api/v1
  clientID: SOCIAL_CLIENT_ID,
  clientSecret: SOCIAL_CLIENT_SECRET,
  callbackURL: '/auth/social-login/callback', // the registered URL, or its path
}
passport.use(
  new Strategy(options, async (_accessToken, _refreshToken, profile) => {
    return { id: profile.id, name: profile.displayName } // find or create your user here
  }),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(passport.session())

app.get('/auth/social-login', passport.authenticate('social-login', { returnTo: '/profile' }))
const onFailure = { failureRedirect: '/', failureMessage: true }
app.get('/auth/social-login/callback', passport.authenticate('social-login', onFailure), (req, res) => {
  res.redirect(req.authInfo?.returnTo ?? '/')
})

app.get('/', (req, res) => {
  const failure = req.session.messages?.pop() ?? '' // why the last login failed
  const problem = req.user ? '' : failure // a reload of the callback fails, too
  const links = '<a href="/profile">Profile</a> <form method="post" action="/logout"><button>Sign out</button></form>'
  res.send(`<p>${problem}</p> ${req.user ? links : '<a href="/auth/social-login">Sign in</a>'}`)
})
app.get('/profile', (req, res) => res.json(req.user ?? null))
app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect('/'))))

const handleErrors = (error, _req, res, _next) => {
  console.error(error) // it says what to do, and holds no secret
  res.status(error.status ?? 500).send('Please try again later. <a href="/">Back</a>')
}
app.use(handleErrors)

const { PORT = '3000' } = process.env
app.listen(Number(PORT), 'localhost', (error) => {
  if (error) throw error // the port is taken
  console.log(`http://localhost:${PORT}`)
})
