// In the style of hackathon-starter: local accounts, to which people link others, Mongoose, flash messages and lusca.
const flash = require('connect-flash')
const escapeHtml = require('escape-html')
const express = require('express')
const session = require('express-session')
const lusca = require('lusca')
const passport = require('passport')
const { Strategy: LocalStrategy } = require('passport-local')
const SocialLoginStrategy = require('passport-social-login')
const User = require('./user.cjs')

passport.serializeUser((user, done) => {
  done(null, user.id)
})

passport.deserializeUser(async (id, done) => {
  try {
    return done(null, await User.findById(id))
  } catch (error) {
    return done(error)
  }
})

passport.use(
  new LocalStrategy({ usernameField: 'email' }, (email, password, done) => {
    User.findOne({ email: email.toLowerCase() })
      .then((user) => {
        if (!user) return done(null, false, { msg: `Email ${email} not found.` })
        if (!user.password) return done(null, false, { msg: 'Your account has no password: sign in with Social.' })
        user.comparePassword(password, (err, isMatch) => {
          if (err) return done(err)
          if (isMatch) return done(null, user)
          return done(null, false, { msg: 'Invalid email or password.' })
        })
      })
      .catch((err) => done(err))
  }),
)

passport.use(
  new SocialLoginStrategy(
    {
      baseURL: process.env.SOCIAL_BASE_URL,
      clientID: process.env.SOCIAL_CLIENT_ID,
      clientSecret: process.env.SOCIAL_CLIENT_SECRET,
      callbackURL: `${process.env.BASE_URL}/auth/social/callback`,
      passReqToCallback: true,
    },
    async (req, accessToken, refreshToken, params, profile, done) => {
      try {
        const token = { kind: 'social', accessToken, refreshToken, accessTokenExpires: params.expires_in }
        const existingUser = await User.findOne({ social: profile.id })
        if (req.user) {
          if (existingUser && existingUser.id !== req.user.id) {
            req.flash('errors', { msg: 'There is already an account that uses this login.' })
            return done(null, req.user)
          }
          const user = await User.findById(req.user.id)
          user.social = profile.id
          user.tokens.push(token)
          user.profile.name = user.profile.name || `${profile.name.givenName} ${profile.name.familyName}`
          user.profile.gender = user.profile.gender || profile.gender
          user.profile.picture = user.profile.picture || profile.photos?.[0]?.value
          await user.save()
          req.flash('info', { msg: 'Your social account has been linked.' })
          return done(null, user)
        }
        if (existingUser) return done(null, existingUser)
        const email = profile.emails?.[0]?.value
        if (await User.findOne({ email })) {
          return done(null, false, {
            message: 'There is already an account with this email address: sign in, then link.',
          })
        }
        const user = new User({ email, social: profile.id, tokens: [token] })
        user.profile.name = profile.displayName
        user.save((err) => {
          done(err, user)
        })
      } catch (err) {
        return done(err)
      }
    },
  ),
)

const isAuthenticated = (req, res, next) => {
  if (req.isAuthenticated()) return next()
  res.redirect('/login')
}

const app = express()
app.use(express.urlencoded({ extended: true }))
app.use(
  session({
    resave: true,
    saveUninitialized: true,
    secret: process.env.SESSION_SECRET,
    name: 'startercookie',
    cookie: { maxAge: 1209600000 },
  }),
)
app.use(passport.initialize())
app.use(passport.session())
app.use(flash())
app.use(lusca.csrf())
app.use(lusca.xframe('SAMEORIGIN'))
app.disable('x-powered-by')
app.use((req, res, next) => {
  res.locals.user = req.user
  res.locals.csrf = `<input type="hidden" name="_csrf" value="${res.locals._csrf}">`
  next()
})
app.use((req, res, next) => {
  // After a login, back to the page.
  if (!req.user && req.path !== '/login' && !req.path.match(/^\/auth/) && !req.path.match(/\./)) {
    req.session.returnTo = req.originalUrl
  } else if (req.user && (req.path === '/account' || req.path.match(/^\/api/))) {
    req.session.returnTo = req.originalUrl
  }
  next()
})

function render(req, res, body) {
  const messages = Object.entries(req.flash()).flatMap(([type, list]) =>
    list.map((each) => `<p class="${type}">${escapeHtml(each.msg || each)}</p>`),
  )
  res.send(`<!doctype html><title>Starter</title>${messages.join('')}${body}`)
}

app.get('/', (req, res) => {
  if (!req.user) return render(req, res, '<a href="/login">Login</a> <a href="/account">My account</a>')
  render(req, res, `<h1>Hello ${escapeHtml(req.user.profile.name)}</h1> <a href="/account">My account</a>`)
})

app.get('/login', (req, res) => {
  if (req.user) return res.redirect('/')
  render(
    req,
    res,
    `<h1>Login</h1>
    <form method="post">${res.locals.csrf}<input name="email"><input name="password"><button>Login</button></form>
    <a href="/auth/social">Sign in with Social</a>`,
  )
})
app.post('/login', (req, res, next) => {
  passport.authenticate('local', (err, user, info) => {
    if (err) return next(err)
    if (!user) {
      req.flash('errors', info)
      return res.redirect('/login')
    }
    req.logIn(user, (err) => {
      if (err) return next(err)
      req.flash('success', { msg: 'Success! You are logged in.' })
      res.redirect(req.session.returnTo || '/')
    })
  })(req, res, next)
})
app.get('/logout', (req, res, next) => {
  req.logout((err) => {
    if (err) return next(err)
    req.session.destroy((err) => {
      if (err) return next(err)
      req.user = null
      res.redirect('/')
    })
  })
})

app.get('/account', isAuthenticated, (req, res) => {
  const { email, social, profile, tokens } = req.user
  render(
    req,
    res,
    `<h1>Account of ${escapeHtml(email)}</h1><p class="social">${social || 'none'}, ${tokens.length} tokens</p>
    <p class="name">${escapeHtml(profile.name || '')}</p>
    <a href="/auth/social">Link your social account</a> <a href="/account/unlink/social">Unlink it</a>
    <a href="/api/social">API</a> <a href="/logout">Logout</a>`,
  )
})
app.get('/account/unlink/:provider', isAuthenticated, async (req, res, next) => {
  try {
    const user = await User.findById(req.user.id)
    user[req.params.provider] = undefined
    user.tokens = user.tokens.filter((token) => token.kind !== req.params.provider)
    await user.save()
    req.flash('info', { msg: 'The account has been unlinked.' })
    res.redirect('/account')
  } catch (err) {
    next(err)
  }
})

const isAuthorized = (req, res, next) => {
  const provider = req.path.split('/')[2]
  if (req.user.tokens.find((token) => token.kind === provider)) return next()
  res.redirect(`/auth/${provider}`)
}
app.get('/api/social', isAuthenticated, isAuthorized, (req, res) => {
  render(req, res, `<h1>${req.user.tokens.length} tokens</h1>`)
})

app.get('/auth/social', passport.authenticate('social-login', { scope: ['email', 'public_profile'] }))
app.get(
  '/auth/social/callback',
  passport.authenticate('social-login', { failureRedirect: '/login', failureFlash: true, keepSessionInfo: true }),
  (req, res) => {
    res.redirect(req.session.returnTo || '/')
  },
)

module.exports = app
