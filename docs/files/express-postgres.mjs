import { setTimeout as wait } from 'node:timers/promises'
import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import helmet from 'helmet'
import passport from 'passport'
import { CookieStore, OUTCOMES, SocialLoginError, Strategy } from 'passport-social-login'
import pg from 'pg'

// CALLBACK_URL is the whole registered URL, such as https://app.example/auth/social-login/callback
const {
  DATABASE_URL,
  SESSION_SECRET,
  LOGIN_COOKIE_KEY,
  CALLBACK_URL = '',
  PORT = '3000',
  HOST = 'localhost',
} = process.env
const { DATABASE_POOL_SIZE = '10', DRAIN_SECONDS = '5' } = process.env
const { SOCIAL_BASE_URL: baseURL, SOCIAL_CLIENT_ID: clientID, SOCIAL_CLIENT_SECRET: clientSecret } = process.env
if (!DATABASE_URL || !SESSION_SECRET || !LOGIN_COOKIE_KEY)
  throw new Error('DATABASE_URL, SESSION_SECRET or LOGIN_COOKIE_KEY is missing')

const timeouts = { connectionTimeoutMillis: 3000, statement_timeout: 3000, query_timeout: 4000 }
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_POOL_SIZE), ...timeouts })
pool.on('error', (error) => console.error('Postgres:', error.message)) // else a lost idle connection ends the process
// One message is one transaction; the lock lets several processes start at the same time.
await pool.query(`
  select pg_advisory_xact_lock(360036);
  create table if not exists users (id bigint generated always as identity primary key, name text not null);
  create table if not exists federated_credentials (
    provider text, subject text, user_id bigint not null references users, primary key (provider, subject));
  create table if not exists session (sid varchar primary key, sess json not null, expire timestamp(6) not null);
  create index if not exists session_expire on session (expire)`)

async function findUser({ provider, id }) {
  const sql = 'select user_id as id from federated_credentials where provider = $1 and subject = $2'
  return (await pool.query(sql, [provider, id])).rows[0]
}
async function findOrCreateUser(profile) {
  const known = await findUser(profile)
  if (known) return known
  const sql = `with account as (insert into users (name) values ($3) returning id)
    insert into federated_credentials (provider, subject, user_id) select $1, $2, id from account`
  try {
    await pool.query(sql, [profile.provider, profile.id, profile.displayName])
  } catch (error) {
    if (error.code !== '23505') throw error // 23505: another request has just created this account
  }
  return findUser(profile)
}

// Not in the session: anyone could leave rows in its table with logins that are never finished.
const loginStore = new CookieStore({ keys: LOGIN_COOKIE_KEY.split(',') })
const options = { baseURL, clientID, clientSecret, callbackURL: CALLBACK_URL, store: loginStore }
const strategy = new Strategy(options, (_accessToken, _refreshToken, profile) => findOrCreateUser(profile))
passport.use(strategy)
passport.serializeUser((user, done) => done(null, user.id))
passport.deserializeUser((id, done) => {
  pool.query('select id, name from users where id = $1', [id]).then(({ rows }) => done(null, rows[0] ?? false), done)
})

const app = express()
app.set('trust proxy', 1) // one proxy in front, which ends TLS
const secure = CALLBACK_URL.startsWith('https:')
// Without https, upgrade-insecure-requests would take Safari from http://localhost to an https that is not there.
app.use(helmet(secure ? {} : { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }))
let isStopping = false
app.get('/healthz', async (_req, res) => {
  if (isStopping) return res.status(503).send('stopping')
  await pool.query('select 1')
  res.send('ok')
})
const store = new (connectPgSimple(session))({ pool, ttl: 14 * 24 * 60 * 60 })
const cookie = { httpOnly: true, sameSite: 'lax', secure }
const name = secure ? '__Host-session' : 'session'
app.use(session({ store, name, secret: SESSION_SECRET.split(','), resave: false, saveUninitialized: false, cookie }))
app.use(passport.session())

app.get('/auth/social-login', (req, res, next) => {
  passport.authenticate('social-login', { returnTo: req.query.returnTo })(req, res, next)
})
app.get(new URL(CALLBACK_URL).pathname, (req, res, next) => {
  const finish = (error, user, info) => {
    if (error) return next(error)
    if (!user) return res.redirect(`/?reason=${info?.code}`) // no page here: the address holds the key
    req.logIn(user, (failure) => (failure ? next(failure) : res.redirect(info?.returnTo ?? '/')))
  }
  passport.authenticate('social-login', finish)(req, res, () => res.redirect('/'))
})
app.post('/logout', (req, res, next) => {
  if (!req.user) return res.redirect('/') // logout() leaves a session, even for a visitor who had none
  req.logout((error) => (error ? next(error) : res.redirect('/')))
})

const escapeHTML = (text) => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
app.get('/', (req, res) => {
  const { reason } = req.query
  const { type, message = '' } = Object.hasOwn(OUTCOMES, reason) ? OUTCOMES[reason] : {}
  const problem = type === 'error' ? 'Please try again later.' : message // the message of an error is for you
  const signOut = '<form method="post" action="/logout"><button>Sign out</button></form>'
  if (req.user) res.send(`Hello ${escapeHTML(req.user.name)} ${signOut}`)
  else res.send(`<p>${escapeHTML(problem)}</p> <a href="/auth/social-login?returnTo=/">Sign in</a>`)
})
app.use((error, _req, res, next) => {
  console.error(error.stack) // not the whole error: a detail of Postgres may hold values
  if (res.headersSent) return next(error)
  if (error instanceof SocialLoginError) return res.redirect(`/?reason=${error.code}`)
  res.status(503).send('Please try again later.')
})

const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error
  console.log(`listening on ${HOST}:${PORT}`)
})
process.once('SIGTERM', async () => {
  isStopping = true
  await wait(Number(DRAIN_SECONDS) * 1000) // until the balancer has seen it
  // Requests under way may end. The connections to the provider are closed after them, and those to Postgres last.
  server.close(() => strategy.close().then(() => pool.end()))
})
