import { realpathSync } from 'node:fs'
import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { OUTCOMES, SocialLoginError, Strategy } from 'passport-social-login'
import { openAccounts } from './accounts.mjs'
import { linkRoutes } from './linking.mjs'
import { SessionStore } from './sessions.mjs'

/**
 * The application. It does not listen, so that a test can have its own.
 * @param options `origin`: its public address. `link`: id and secret of the second application at the provider, for links.
 *   `file`: the database, or `:memory:` in a test
 */
export function createApp({ origin, baseURL, clientID, clientSecret, link, file, sessionSecret }) {
  const accounts = openAccounts(file)
  const sessions = new SessionStore(file)

  const passport = new Passport()
  const options = { baseURL, clientID, clientSecret, callbackURL: `${origin}/auth/social-login/callback` }
  passport.use(new Strategy(options, (_accessToken, _refreshToken, profile) => accounts.findOrCreate(profile)))
  passport.serializeUser((user, done) => done(null, user.id))
  passport.deserializeUser((id, done) => {
    accounts.find(id).then((user) => done(null, user ?? false), done) // `false`: a deleted user is signed out
  })

  const app = express()
  app.set('trust proxy', 1) // one proxy in front, which ends TLS
  app.use(express.static(`${import.meta.dirname}/public`))
  const secure = origin.startsWith('https:')
  const cookie = { httpOnly: true, sameSite: 'lax', secure, maxAge: 14 * 24 * 60 * 60 * 1000 }
  const name = secure ? '__Host-session' : 'session'
  app.use(session({ store: sessions, name, secret: sessionSecret, resave: false, saveUninitialized: false, cookie }))
  app.use(passport.session())

  app.get('/auth/social-login', (req, res, next) => {
    passport.authenticate('social-login', { returnTo: req.query.returnTo })(req, res, next)
  })
  app.get('/auth/social-login/callback', (req, res, next) => {
    const finish = (error, user, { code = 'verify_refused', returnTo = '/account' } = {}) => {
      if (error) return next(error)
      if (user) return req.logIn(user, (failure) => (failure ? next(failure) : res.redirect(returnTo)))
      if (req.user && code === 'login_not_started') return res.redirect('/account') // a reload after the login
      console.error(`A login has failed: ${code}`)
      res.redirect(`/login?${new URLSearchParams({ reason: code, returnTo })}`) // no page here: the address holds the key
    }
    passport.authenticate('social-login', finish)(req, res, next)
  })
  app.get('/login', (req, res) => {
    const { reason, returnTo = '/account' } = req.query
    const query = new URLSearchParams({ returnTo: String(returnTo) })
    res.send(page('Sign in', `<p>${reasonText(reason)}</p> <a href="/auth/social-login?${query}">Sign in</a>`))
  })
  app.post('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect('/'))))

  app.get('/', (_req, res) => res.send(page('Home', '<a href="/orders">Orders</a> <a href="/account">Account</a>')))
  app.get('/orders', requireUser, (req, res) => res.send(page('Orders', `For ${escapeHTML(req.user.name)}`)))
  app.get('/account', requireUser, async (req, res) => {
    const notice = NOTICES.get(req.query.notice) ?? ''
    const logins = await accounts.loginsOf(req.user.id)
    res.send(page(escapeHTML(req.user.name), `<p>${notice}</p> <ul>${logins.map(loginItem).join('')}</ul> ${FORMS}`))
  })
  const byLink = (userID, { provider, id }) => accounts.addLogin(userID, { provider, subject: id })
  const linkOptions = { ...options, ...link, callbackURL: `${origin}/account/link/callback` }
  app.use(linkRoutes(passport, linkOptions, (user) => user.id, byLink))
  const readForm = express.urlencoded({ extended: false })
  app.post('/account/logins/remove', requireUser, requireOwnPage, readForm, async (req, res) => {
    const { provider, subject } = req.body ?? {}
    const isRemoved = await accounts.removeLogin(req.user.id, { provider: String(provider), subject: String(subject) })
    if (isRemoved) sessions.endOthers(req.user.id, req.sessionID) // someone else may have signed in with it
    res.redirect(`/account?notice=${isRemoved ? 'removed' : 'not-removed'}`)
  })

  app.use((error, req, res, next) => {
    console.error(error.stack)
    if (res.headersSent) return next(error)
    if (error instanceof SocialLoginError) {
      if (req.path.startsWith('/account/link')) return res.redirect('/account?notice=not-linked')
      const { searchParams } = new URL(error.startPath ?? '/', origin)
      const query = { reason: error.code, returnTo: searchParams.get('returnTo') ?? '/account' }
      return res.redirect(`/login?${new URLSearchParams(query)}`)
    }
    res.status(error.status ?? 500).send(page('Something went wrong', 'Please try again later. <a href="/">Home</a>'))
  })
  return app
}

const requireUser = (req, res, next) => {
  // Otherwise the back button shows the page after a sign-out, and another site can show its buttons in a frame.
  res.set({ 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY' })
  if (req.user) return next()
  const returnTo = req.method === 'GET' ? req.originalUrl : '/account'
  res.redirect(`/login?${new URLSearchParams({ returnTo })}`)
}
const requireOwnPage = (req, res, next) => (req.get('sec-fetch-site') === 'same-origin' ? next() : res.sendStatus(403))

// Your texts for failures, by their code. OUTCOMES has a text for every code; that of an error is for you.
const REASONS = new Map([
  ['auth_key_rejected', 'The provider did not confirm the login. Please try again.'],
  ['login_expired', 'That took too long. Please try again.'],
  ['verify_refused', 'This account may not sign in here.'],
])
function reasonText(code) {
  const { type, message = '' } = Object.hasOwn(OUTCOMES, code) ? OUTCOMES[code] : {}
  return escapeHTML(REASONS.get(code) ?? (type === 'error' ? 'Please try again later.' : message))
}
const NOTICES = new Map([
  ['linked', 'You can now sign in with this account, too.'],
  ['in-use', 'Another user here already has this account.'],
  ['not-linked', 'The account was not added. Please try again.'],
  ['removed', 'The login has been removed, and your other browsers have been signed out.'],
  ['not-removed', 'Nothing was removed. An account keeps its last login.'],
])

const escapeHTML = (text) => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
const page = (title, body) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1> ${body}</html>`
const loginItem = (login) => {
  const [provider, subject] = [login.provider, login.subject].map(escapeHTML)
  return `<li>${provider} ${subject} <form method="post" action="/account/logins/remove">
    <input type="hidden" name="provider" value="${provider}"><input type="hidden" name="subject" value="${subject}">
    <button>Remove</button></form></li>`
}
const FORMS = `<form method="post" action="/account/link"><button>Add an account</button></form>
  <form method="post" action="/logout"><button>Sign out</button></form>`

// If this file is run, and not imported by a test:
if (realpathSync(process.argv[1] ?? '.') === import.meta.filename) {
  const required = ['SOCIAL_BASE_URL', 'SOCIAL_CLIENT_ID', 'SOCIAL_CLIENT_SECRET']
  required.push('LINK_CLIENT_ID', 'LINK_CLIENT_SECRET', 'SESSION_SECRET')
  for (const name of required) if (!process.env[name]) throw new Error(`The variable ${name} is missing`)
  const { ORIGIN: origin = 'http://localhost:3000', HOST = 'localhost', PORT = '3000', SESSION_SECRET } = process.env
  const { SOCIAL_BASE_URL: baseURL, SOCIAL_CLIENT_ID: clientID, SOCIAL_CLIENT_SECRET: clientSecret } = process.env
  const { LINK_CLIENT_ID, LINK_CLIENT_SECRET, DATABASE_FILE: file = 'app.db' } = process.env
  const link = { clientID: LINK_CLIENT_ID, clientSecret: LINK_CLIENT_SECRET }
  const sessionSecret = SESSION_SECRET.split(',')
  createApp({ origin, baseURL, clientID, clientSecret, link, file, sessionSecret }).listen(PORT, HOST, (error) => {
    if (error) throw error // the port is taken
    console.log(origin)
  })
}
