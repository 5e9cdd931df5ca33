import { createServer, type IncomingHttpHeaders, type RequestListener, request, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
import session, { type SessionOptions } from 'express-session'
import { Passport } from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  type Profile,
  type Provider,
  Strategy,
  type StrategyOptions,
} from '../../lib'
import { examineApp } from '../../lib/doctor/app/examine'
import { asBrowser } from '../../lib/doctor/app/site'
import type { AppArguments } from '../../lib/doctor/arguments'
import { type Application, FakeProvider } from '../../lib/testing'
import { makeCertificates, trustAuthority } from './certificates'
import { port, stopServer } from './listen'

// For tests of the doctor: applications as they are deployed, with what is between them and a browser.

export type Response = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>]

interface Visit {
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
}

/** What is in front of an application. */
export interface Proxy {
  /** Answers in its place. */
  answer?(visit: Visit): Response | undefined
  /** Changes what is passed on. */
  request?(headers: IncomingHttpHeaders): void
  path?(url: string): string
  response?(headers: IncomingHttpHeaders, visit: Visit): void
  /** Which process is asked. @param connection counts those of browsers */
  process?(visit: Visit, connection: number): number
  /** Milliseconds until it gives up. */
  timeLimit?: number
}

export interface Deployment {
  /** Whether browsers come by https, as far as the proxy. */
  readonly secure?: true
  readonly proxy?: Proxy
  readonly strategy?: Partial<StrategyOptions<false>>
  /** Finds the only provider by each request, as for many. */
  readonly findProvider?: (provider: Provider) => unknown
  /** `none`: without any session. */
  readonly session?: Partial<SessionOptions> | 'none'
  /** Keeps the login in a CookieStore. */
  readonly cookieKeys?: (process: number) => readonly string[]
  readonly trustProxy?: number
  /** Given to the callback. Default: a `failureRedirect`. */
  readonly callback?: AuthenticateOptions
  readonly before?: (app: Express, process: number) => void
  /** Instead of the routes `/auth` and `/auth/callback`. */
  readonly routes?: (app: Express, passport: InstanceType<typeof Passport>, settings: StrategyOptions<false>) => void
  /** Instead of the Express application. */
  readonly listener?: (settings: StrategyOptions<false>) => RequestListener | Promise<RequestListener>
  readonly processes?: number
  /** The provider as it is during the examination. */
  readonly provider?: (provider: FakeProvider) => unknown
  readonly input?: (origin: string, application: Application) => Input
}

type Input = Partial<Pick<AppArguments, 'app' | 'redirectURL' | 'appID' | 'baseURL' | 'quick' | 'timeout'>>

export interface Deployed {
  readonly origin: string
  readonly application: Application
}

/** Deploys applications for the tests of a file, and asks the doctor about them. */
export function useDeployments() {
  const certificates = makeCertificates()
  const servers: Server[] = []
  let provider: FakeProvider | undefined
  beforeAll(async () => {
    provider = await FakeProvider.start()
  })
  beforeEach(() => void trustAuthority(certificates.ca))
  afterEach(async () => {
    jest.restoreAllMocks()
    for (const server of servers.splice(0)) await stopServer(server)
    provider?.setMode('specification')
    provider?.clearFaults()
    provider?.clearRequests()
  })
  afterAll(() => provider?.stop())

  async function listening(server: Server): Promise<number> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    return port(server)
  }

  async function deploy(deployment: Deployment): Promise<Deployed> {
    if (!provider) throw new Error('the provider starts with the tests')
    const { secure, proxy = {}, processes = 1, listener } = deployment
    const inner: number[] = []
    const outer = forwarding(proxy, inner, secure === true)
    const server = secure ? createSecureServer(certificates.good, outer) : createServer(outer)
    const origin = `${secure ? 'https' : 'http'}://localhost:${await listening(server)}`
    countConnections(server)
    const application = provider.registerApplication({ name: 'App', redirectURL: `${origin}/auth/callback` })
    const common = { baseURL: provider.baseURL, clientID: application.appID, clientSecret: application.appSecret }
    const settings = { ...common, callbackURL: `${origin}/auth/callback`, ...deployment.strategy }
    for (let process = 0; process < processes; process += 1) {
      const app = listener ? await listener(settings) : newApp(settings, deployment, process)
      inner.push(await listening(createServer(app)))
    }
    deployment.provider?.(provider)
    return { origin, application }
  }

  async function examine(deployment: Deployment, more: Input = {}) {
    const { origin, application } = await deploy(deployment)
    return examineAt(origin, { ...deployment.input?.(origin, application), ...more })
  }

  /** @returns `level code` of each finding, and how many keys were exchanged */
  async function examineAt(origin: string, more: Input = {}) {
    const input = {
      app: new URL(`${origin}/auth`),
      redirectURL: new URL(`${origin}/auth/callback`).href,
      appID: undefined,
      baseURL: undefined,
      ...{ login: false, 'allow-get': false, 'spend-twice': false, json: false, help: false, quick: false },
      timeout: 5000,
      ...more,
    }
    const ask = asBrowser('doctor of a test', input.timeout, false)
    const { findings } = await examineApp(input, ask, { progress: () => {}, finding: () => {} })
    const exchanges = provider?.requests.filter(({ endpoint }) => endpoint === 'authorize').length
    return { told: findings.map(({ level, code }) => `${level} ${code}`), exchanges }
  }

  return { deploy, examine, examineAt, listening }
}

const connections = new WeakMap<Socket, number>()

function countConnections(server: Server): void {
  let count = 0
  // Of TLS, the inner socket is that of the request.
  server.on('secureConnection', (socket: Socket) => connections.set(socket, count++))
  server.on('connection', (socket: Socket) => connections.set(socket, count++))
}

/** A proxy to the processes at these ports. */
function forwarding(proxy: Proxy, ports: readonly number[], secure: boolean): RequestListener {
  return (req, res) => {
    const { url = '', method = '', socket } = req
    const visit: Visit = { url, method, headers: req.headers }
    const answer = proxy.answer?.(visit)
    if (answer) {
      const [status, body = '', headers = {}] = answer
      return void res.writeHead(status, headers).end(body)
    }
    const headers = { ...req.headers, connection: 'close', ...(secure && { 'x-forwarded-proto': 'https' }) }
    proxy.request?.(headers)
    const process = (proxy.process?.(visit, connections.get(socket) ?? 0) ?? 0) % ports.length
    const target = { host: 'localhost', port: ports[process], path: proxy.path?.(url) ?? url, method, headers }
    const passed = request(target, (answered) => {
      const received = { ...answered.headers }
      proxy.response?.(received, visit)
      delete received['transfer-encoding']
      res.writeHead(answered.statusCode ?? 502, received)
      answered.pipe(res)
    })
    passed.on('error', () => res.headersSent || res.writeHead(502).end('<h1>Bad gateway</h1>'))
    if (proxy.timeLimit !== undefined)
      passed.setTimeout(proxy.timeLimit, () => {
        res.writeHead(504).end('<h1>Gateway timeout</h1>')
        passed.destroy()
      })
    req.pipe(passed)
  }
}

function newApp(settings: StrategyOptions<false>, deployment: Deployment, process: number): Express {
  const { findProvider, trustProxy = deployment.secure ? 1 : 0 } = deployment
  const app = express()
  app.set('trust proxy', trustProxy)
  const passport = new Passport()
  passport.use(newStrategy(settings, deployment.cookieKeys?.(process), findProvider))
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user: Express.User, done) => done(null, user))
  deployment.before?.(app, process)
  if (deployment.session !== 'none') {
    const secure: 'auto' | boolean = deployment.secure ? true : 'auto'
    const { cookie, ...others } = deployment.session ?? {}
    const options = { secret: 'secret', resave: false, saveUninitialized: false, ...others }
    app.use(session({ ...options, cookie: { sameSite: 'lax', secure, ...Object(cookie) } }), passport.session())
  }
  const { callback = { failureRedirect: '/login' }, routes = usualRoutes(callback) } = deployment
  routes(app, passport, settings)
  app.get('/login', (_req, res) => void res.send('<h1>Sign in</h1>'))
  return app
}

const usualRoutes =
  (callback: AuthenticateOptions): NonNullable<Deployment['routes']> =>
  (app, passport) => {
    app.get('/auth', authenticate(passport))
    app.all('/auth/callback', authenticate(passport, callback))
  }

export function authenticate(
  passport: InstanceType<typeof Passport>,
  options: AuthenticateOptions = {},
): RequestHandler {
  return passport.authenticate('social-login', options)
}

function newStrategy(
  settings: StrategyOptions<false>,
  cookieKeys: readonly string[] | undefined,
  findProvider: Deployment['findProvider'],
): Strategy {
  const store = cookieKeys && { store: new CookieStore({ keys: cookieKeys }) }
  const verify = (_accessToken: string, _refreshToken: string, profile?: Profile): object => ({ id: profile?.id })
  if (!findProvider) return new Strategy({ ...settings, ...store }, verify)
  const { baseURL, clientID, clientSecret, callbackURL, ...shared } = settings
  const record = { name: 'one', baseURL, clientID, clientSecret, callbackURL }
  const provider = (): unknown => findProvider(record)
  return Reflect.construct(Strategy, [{ ...shared, ...store, provider, allowPrivateAddresses: true }, verify])
}
