import { createServer as createHTTPServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:http2'
import connect from 'connect'
import session from 'express-session'
import { Passport } from 'passport'
import { getGlobalDispatcher } from 'undici'
import { Strategy } from '../../lib'
import { FakeProvider } from '../../lib/testing'
import { NaiveStrategy } from '../support/attacks/naive-app'

/** Runs a Connect application with Passport's redirects: `naive`, `ours`, `ours-with-redirect`, or `ours-over-http2`. */
async function main([kind]: string[]): Promise<void> {
  const provider = await FakeProvider.start()
  const callbackURL = 'http://localhost/callback'
  const application = provider.registerApplication({ name: 'Connect', redirectURL: callbackURL })
  const { appID: clientID, appSecret: clientSecret } = application
  const passport = new Passport()
  passport.use(
    kind === 'naive'
      ? new NaiveStrategy({
          name: 'social-login',
          provider,
          application,
          callbackURL,
          dispatcher: getGlobalDispatcher(),
        })
      : new Strategy({ baseURL: provider.baseURL, clientID, clientSecret, callbackURL }, async (_a, _r, { id }) => ({
          id,
        })),
  )
  passport.serializeUser((user, done) => done(null, user))
  const app = connect()
  if (kind === 'naive') app.use(withQuery)
  if (kind === 'ours-with-redirect') app.use(withRedirect)
  const keepSession: unknown = session({ secret: 'secret', resave: false, saveUninitialized: false })
  if (isMiddleware(keepSession)) app.use(keepSession)
  const finish = { successRedirect: '/me', failureRedirect: '/login' }
  const authenticate: connect.NextHandleFunction = passport.authenticate('social-login', finish)
  app.use('/callback', authenticate)
  app.use('/auth', authenticate)
  // Connect asks for less than its types say.
  const serve = (req: object, res: object): unknown => Reflect.apply(app, undefined, [req, res])
  const server = (kind === 'ours-over-http2' ? createServer(serve) : createHTTPServer(serve)).listen(
    0,
    '127.0.0.1',
    () => {
      const authKey = provider.issueAuthKey({ appID: clientID, userID: '1' })
      console.log(JSON.stringify({ address: server.address(), authKey }))
    },
  )
}

function isMiddleware(value: unknown): value is connect.NextHandleFunction {
  return typeof value === 'function'
}

function withQuery(req: IncomingMessage, _res: ServerResponse, next: () => void): void {
  Object.assign(req, { query: Object.fromEntries(new URL(req.url ?? '/', 'http://localhost').searchParams) })
  next()
}

function withRedirect(req: IncomingMessage, res: ServerResponse, next: () => void): void {
  const redirect = (location: string) => res.writeHead(302, { Location: location }).end()
  Object.assign(req, { res: Object.assign(res, { redirect }) })
  next()
}

void main(process.argv.slice(2))
