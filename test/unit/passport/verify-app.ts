import { createServer, type Server } from 'node:http'
import express, { type ErrorRequestHandler } from 'express'
import session from 'express-session'
import passport from 'passport'
import { request } from 'undici'
import type { LoginInfo } from '../../../lib/login/info'
import { Strategy } from '../../../lib/passport/strategy'
import { FakeProvider, providerNavigation, sameOriginNavigation } from '../../../lib/testing'

/** What the browser got at the callback. */
export interface LoginAnswer {
  readonly status: number
  readonly body: unknown
}

/** A provider and applications that differ in their verify function only. */
export class VerifyBench {
  readonly #servers: Server[] = []

  private constructor(readonly provider: FakeProvider) {}

  static async start(): Promise<VerifyBench> {
    return new VerifyBench(await FakeProvider.start())
  }

  /** Signs user 1 in to an application with this verify function. Any shape, as plain JavaScript would pass it. */
  async login(verify: unknown, options: object = {}): Promise<LoginAnswer> {
    const url = await this.#listen(verify, options)
    // Not fetch, which sends Fetch Metadata of its own.
    const start = await request(`${url}/login`, { headers: sameOriginNavigation })
    await start.body.dump()
    const cookie = String(start.headers['set-cookie']).split(';', 1).join()
    const appID = new URL(String(start.headers['location'])).searchParams.get('app_id') ?? ''
    const authKey = this.provider.issueAuthKey({ appID, userID: '1' })
    const headers = { ...providerNavigation, cookie }
    const answer = await request(`${url}/callback?auth_key=${authKey}`, { headers })
    return { status: answer.statusCode, body: await answer.body.json() }
  }

  async #listen(verify: unknown, options: object): Promise<string> {
    const redirectURL = 'http://localhost/callback'
    const { appID, appSecret } = this.provider.registerApplication({ name: 'App', redirectURL })
    const { baseURL } = this.provider
    const required = { baseURL, clientID: appID, clientSecret: appSecret, callbackURL: '/callback' }
    const strategy: Strategy = Reflect.construct(Strategy, [{ ...required, ...options }, verify])
    const server = createServer(createApp(strategy))
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.close()
    await this.provider.stop()
  }
}

function createApp(strategy: Strategy): express.Express {
  const authenticator = new passport.Passport()
  authenticator.use(strategy)
  authenticator.serializeUser((user, done) => done(null, JSON.stringify(user)))
  authenticator.deserializeUser((text: string, done) => done(null, JSON.parse(text)))
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.get('/login', authenticator.authenticate('social-login'))
  app.get('/callback', authenticator.authenticate('social-login', { failWithError: true }), (req, res) => {
    // What the verify function said, without what the strategy adds.
    const { assurance: _, ...info }: Partial<LoginInfo> = { ...req.authInfo }
    res.json({ user: req.user, info })
  })
  app.use((_req, res) => {
    res.status(418).json({ passed: true })
  })
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    res.status(error?.status ?? 500).json({ name: error?.name, message: error?.message, code: error?.code })
  }
  app.use(onError)
  return app
}
