import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'

/** What lies below every contender but the bare one: Express and express-session. */
export function createStackBelow() {
  const app = express()
  const sessions = new MapStore()
  app.disable('x-powered-by')
  app.get('/ping', (_req, res) => res.end('pong'))
  app.use(
    session({ secret: 'bench', store: sessions, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
  )
  return { app, sessions }
}

/** An application whose /login and /callback are a Passport strategy. */
export function createStack(strategy) {
  const { app, sessions } = createStackBelow()
  const passport = new Passport()
  passport.serializeUser((user, done) => done(null, user.id))
  passport.deserializeUser((id, done) => done(null, { id }))
  passport.use('bench', strategy)
  app.use(passport.initialize(), passport.session())
  app.get('/login', passport.authenticate('bench'))
  app.get('/callback', passport.authenticate('bench'), (req, res) => res.end(req.user.id))
  // Express's own handler prints every error with its stack, which costs more than what is measured.
  app.use((error, _req, res, _next) => res.status(error.status ?? 500).end(error.code))
  return { listener: app, sessions }
}

/** express-session's MemoryStore, without its warning and its listing of all sessions, and with a way to empty it. */
class MapStore extends session.Store {
  #sessions = new Map()

  clear() {
    this.#sessions.clear()
  }

  get(id, done) {
    const text = this.#sessions.get(id)
    setImmediate(done, null, text && JSON.parse(text))
  }

  set(id, content, done) {
    this.#sessions.set(id, JSON.stringify(content))
    setImmediate(done)
  }

  destroy(id, done) {
    this.#sessions.delete(id)
    setImmediate(done)
  }

  touch(_id, _content, done) {
    setImmediate(done)
  }
}
