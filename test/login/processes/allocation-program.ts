import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from '../../../lib'
import { listen } from '../../support/listen'

/** What the program tells its parent: where it listens, then the bytes of heap in use for each message. */
export type AllocationMessage = { readonly origin: string } | { readonly heapUsed: number }

/** A typical application. Collects its garbage for the message `collect`. Needs `--expose-gc`. */
async function main([baseURL = '', clientID = '', clientSecret = '']: string[]): Promise<void> {
  const strategy = new Strategy(
    { baseURL, clientID, clientSecret, callbackURL: '/callback' },
    async (_accessToken, _refreshToken, { id }) => ({ id }),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))
  passport.use(strategy)
  const app = express()
  app.use(session({ secret: 'allocation', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  app.get('/login', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login'), (_req, res) => void res.end('signed in'))
  const { origin } = await listen(app)
  const tell = (message: AllocationMessage): void => void process.send?.(message)
  process.on('message', (message) => {
    if (message === 'collect') globalThis.gc?.()
    tell({ heapUsed: process.memoryUsage().heapUsed })
  })
  tell({ origin })
}

void main(process.argv.slice(2))
