// Todos, in the style of Passport's own examples (todos-express-*): `var`, callbacks, and messages in the session.
var connectEnsureLogin = require('connect-ensure-login')
var csrf = require('csurf')
var escapeHtml = require('escape-html')
var express = require('express')
var session = require('express-session')
var passport = require('passport')
var SocialLoginStrategy = require('passport-social-login')
var db = require('./db.cjs')

passport.use(
  new SocialLoginStrategy(
    {
      baseURL: process.env['SOCIAL_BASE_URL'],
      clientID: process.env['SOCIAL_CLIENT_ID'],
      clientSecret: process.env['SOCIAL_CLIENT_SECRET'],
      callbackURL: '/oauth2/redirect/social',
    },
    function verify(accessToken, refreshToken, profile, cb) {
      db.findCredential(profile.provider, profile.id, (err, credential) => {
        if (err) return cb(err)
        if (credential) return db.findUser(credential.userId, cb)
        db.createUser(profile.displayName, (err, user) => {
          if (err) return cb(err)
          db.saveCredential({ provider: profile.provider, subject: profile.id, userId: user.id }, (err) => {
            if (err) return cb(err)
            return cb(null, user)
          })
        })
      })
    },
  ),
)

// As Passport's guide "Authorize" links a second account to the user.
passport.use(
  'social-authz',
  new SocialLoginStrategy(
    {
      baseURL: process.env['SOCIAL_BASE_URL'],
      clientID: process.env['LINK_CLIENT_ID'],
      clientSecret: process.env['LINK_CLIENT_SECRET'],
      callbackURL: '/connect/social/callback',
    },
    function verify(accessToken, refreshToken, profile, cb) {
      db.findCredential(profile.provider, profile.id, (err, credential) => {
        if (err) return cb(err)
        return cb(null, credential || { provider: profile.provider, subject: profile.id })
      })
    },
  ),
)

passport.serializeUser((user, cb) => {
  process.nextTick(() => {
    cb(null, { id: user.id, name: user.name })
  })
})

passport.deserializeUser((user, cb) => {
  process.nextTick(() => cb(null, user))
})

var app = express()
var ensureLoggedIn = connectEnsureLogin.ensureLoggedIn

function page(res, body) {
  var messages = res.locals.messages.map((message) => `<p class="message">${escapeHtml(message)}</p>`)
  res.send(`<!doctype html><title>Todos</title>${messages.join('')}${body}`)
}

app.use(express.urlencoded({ extended: false }))
app.use(session({ secret: process.env['SESSION_SECRET'], resave: false, saveUninitialized: false }))
app.use(csrf())
app.use(passport.authenticate('session'))
app.use((req, res, next) => {
  res.locals.messages = req.session.messages || []
  req.session.messages = []
  res.locals.csrf = `<input type="hidden" name="_csrf" value="${req.csrfToken()}">`
  next()
})

app.get('/', (req, res) => {
  if (!req.user) return page(res, '<a href="/login">Sign in</a> <a href="/active">Active</a>')
  page(
    res,
    `<h1>Todos of ${escapeHtml(req.user.name)}</h1>
    <form action="/" method="post">${res.locals.csrf}<input name="title"><button>Add</button></form>
    <a href="/active">Active</a> <a href="/account">Account</a>
    <form action="/logout" method="post">${res.locals.csrf}<button>Sign out</button></form>`,
  )
})
app.post('/', ensureLoggedIn(), (req, res, next) => {
  db.addTodo({ ownerId: req.user.id, title: req.body.title }, (err) => {
    if (err) return next(err)
    res.redirect('/active')
  })
})
app.get('/active', ensureLoggedIn(), (req, res, next) => {
  db.findTodos(req.user.id, (err, todos) => {
    if (err) return next(err)
    page(res, `<ul>${todos.map((todo) => `<li>${escapeHtml(todo.title)}</li>`).join('')}</ul> <a href="/">All</a>`)
  })
})

app.get('/login', (req, res) => {
  page(res, '<h1>Sign in</h1><a href="/login/federated/social">Sign in with Social</a>')
})
app.get('/login/federated/social', passport.authenticate('social-login'))
app.get(
  '/oauth2/redirect/social',
  passport.authenticate('social-login', {
    successReturnToOrRedirect: '/',
    failureRedirect: '/login',
    failureMessage: true,
    keepSessionInfo: true,
  }),
)
app.post('/logout', (req, res, next) => {
  req.logout((err) => {
    if (err) return next(err)
    res.redirect('/')
  })
})

app.get('/account', ensureLoggedIn(), (req, res, next) => {
  db.findCredentials(req.user.id, (err, credentials) => {
    if (err) return next(err)
    var rows = credentials.map((credential) => `<li>${escapeHtml(`${credential.provider} ${credential.subject}`)}</li>`)
    page(
      res,
      `<ul>${rows.join('')}</ul> <a href="/">All</a>
      <form action="/connect/social" method="post">${res.locals.csrf}<button>Connect another</button></form>`,
    )
  })
})
app.post('/connect/social', ensureLoggedIn(), passport.authorize('social-authz', { failureRedirect: '/account' }))
app.get(
  '/connect/social/callback',
  ensureLoggedIn(),
  passport.authorize('social-authz', { failureRedirect: '/account', failureMessage: true }),
  (req, res, next) => {
    var account = req.account
    if (account.userId && account.userId !== req.user.id) {
      req.session.messages = ['Somebody else has connected this account.']
      return res.redirect('/account')
    }
    account.userId = req.user.id
    db.saveCredential(account, (err) => {
      if (err) return next(err)
      res.redirect('/account')
    })
  },
)

app.use((err, req, res, next) => {
  res.status(err.status || 500)
  page(res, `<h1>${escapeHtml(err.message)}</h1>`)
})

module.exports = app
