import { once } from 'node:events'
import express, { type ErrorRequestHandler } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from '../../../lib'
import { port } from '../../support/listen'

// Applications in a process of their own, one for each argument, which tells what is wrong with it. Prints their ports.

const { env } = process

/** @returns the port */
async function startApp(broken: string): Promise<number> {
  const app = express()
  app.use((req, res, next) => {
    if (broken === 'slash' && req.path === '/auth') res.redirect(301, '/auth/')
    else if (broken === 'login page' && req.path === '/auth') res.redirect('/login')
    else if (broken === 'start fails' && req.path === '/auth') next(new Error('no such table: sessions'))
    else next()
  })
  app.enable('strict routing')
  const cookie = {
    ...(broken === 'strict' && { sameSite: 'strict' as const }),
    ...(broken.startsWith('secure') && { secure: true }),
  }
  if (broken === 'secure')
    app.use((req, _res, next) => {
      // As behind a proxy that speaks https.
      Object.defineProperty(req, 'secure', { value: true })
      next()
    })
  const passport = newPassport(broken)
  app.use(session({ secret: 'for tests', resave: false, saveUninitialized: false, cookie }))
  app.use(passport.session())
  app.get(broken === 'slash' ? '/auth/' : '/auth', passport.authenticate('social-login'))
  const answers = {
    failureRedirect: broken === 'failure to /' ? '/' : '/?failed',
    failureMessage: true,
    successRedirect: broken === 'both to /' ? '/' : '/profile',
  }
  if (broken !== 'no callback') app.get('/callback', passport.authenticate('social-login', answers))
  app.get('/profile', (req, res) => void res.send(req.user ?? 'nobody'))
  app.get('/', (_req, res) => void res.send('home'))
  const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.status(500).send(`<pre>${error}</pre>`)
  app.use(onError)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return port(server)
}

function newPassport(broken: string): InstanceType<typeof Passport> {
  const passport = new Passport()
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))
  const settings = {
    baseURL: env['SOCIAL_BASE_URL'] ?? '',
    clientID: env['SOCIAL_CLIENT_ID'] ?? '',
    clientSecret: broken === 'secret' ? 'another-secret' : (env['SOCIAL_CLIENT_SECRET'] ?? ''),
    callbackURL: '/callback',
  }
  const strategy = new Strategy(settings, (_token, _refreshToken, profile, done) => {
    if (broken === 'verify throws') throw new Error('no such column: nickname')
    done(null, broken === 'verify refuses' ? false : { id: profile.id })
  })
  return passport.use(strategy)
}

async function main(variants: readonly string[]): Promise<void> {
  const ports = await Promise.all(variants.map(async (broken) => [broken, await startApp(broken)]))
  console.log(JSON.stringify(Object.fromEntries(ports)))
}

void main(process.argv.slice(2))
