// An application whose page stays: a popup signs in, and reports to its opener.
const express = require('express')
const session = require('express-session')
const helmet = require('helmet')
const passport = require('passport')
const SocialLoginStrategy = require('passport-social-login')

const users = []
const findBySocial = async (id) => users.find((user) => user.social.includes(id))

passport.use(
  new SocialLoginStrategy(
    {
      baseURL: process.env.SOCIAL_BASE_URL,
      clientID: process.env.SOCIAL_CLIENT_ID,
      clientSecret: process.env.SOCIAL_CLIENT_SECRET,
      callbackURL: '/auth/social/callback',
      passReqToCallback: true,
    },
    async (req, accessToken, refreshToken, profile) => {
      const found = await findBySocial(profile.id)
      if (req.authInfo.state?.action !== 'link') {
        if (found) return found
        const user = { id: users.length + 1, name: profile.displayName, social: [profile.id] }
        users.push(user)
        return user
      }
      if (!req.user || (found && found !== req.user)) return false
      if (!found) req.user.social.push(profile.id)
      return req.user
    },
  ),
)
passport.serializeUser((user, done) => done(null, user.id))
passport.deserializeUser((id, done) => done(null, users[id - 1]))

const app = express()
// By default, helmet cuts a popup off from its opener.
const crossOriginOpenerPolicy = { policy: 'same-origin-allow-popups' }
app.use(helmet({ contentSecurityPolicy: false, crossOriginOpenerPolicy }))
app.use('/auth', (req, res, next) => {
  res.removeHeader('Cross-Origin-Opener-Policy')
  next()
})
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }))
app.use(passport.session())

app.get('/auth/social', passport.authenticate('social-login', { state: { action: 'sign in' } }))
app.get('/auth/social/link', passport.authenticate('social-login', { state: { action: 'link' } }))
app.get('/auth/social/callback', (req, res, next) => {
  passport.authenticate('social-login', (err, user, info) => {
    if (err) return next(err)
    if (!user) return report(res, { error: info.message })
    req.logIn(user, (err) => {
      if (err) return next(err)
      report(res, { name: user.name, action: info.state.action })
    })
  })(req, res, next)
})

// The page in the popup.
function report(res, message) {
  const json = JSON.stringify(message).replaceAll('<', '\\u003c')
  res.send(`<!doctype html><title>Done</title><script>
    window.opener.postMessage(${json}, location.origin)
    window.close()
  </script>`)
}

app.get('/api/user', (req, res) => res.json(req.user ?? null))
app.post('/api/logout', (req, res, next) => {
  req.logout((err) => (err ? next(err) : res.sendStatus(204)))
})

app.get('/', (req, res) => {
  res.send(`<!doctype html><title>Popup</title>
    <p id="who"></p><p id="message"></p>
    <button data-start="/auth/social">Sign in</button>
    <button data-start="/auth/social/link">Link another account</button>
    <button id="logout">Sign out</button>
    <script>
      const who = document.getElementById('who')
      const message = document.getElementById('message')
      async function show() {
        const user = await (await fetch('/api/user')).json()
        who.textContent = user ? user.name + ': ' + user.social.join(' and ') : 'Nobody'
      }
      for (const button of document.querySelectorAll('[data-start]')) {
        button.addEventListener('click', () => window.open(button.dataset.start, 'login', 'width=500,height=700'))
      }
      window.addEventListener('message', (event) => {
        if (event.origin !== location.origin) return
        message.textContent = event.data.error || event.data.action + ': ' + event.data.name
        show()
      })
      document.getElementById('logout').addEventListener('click', async () => {
        await fetch('/api/logout', { method: 'POST' })
        message.textContent = 'Signed out'
        show()
      })
      show()
    </script>`)
})

module.exports = app
