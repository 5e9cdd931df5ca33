import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { RequestHandler } from 'express'
import { type Context, Hono } from 'hono'
import { type CallbackResult, SocialLogin } from '../../../lib/web'
import { COOKIE_KEY_CANARY, failureIn } from '../app'
import { fetchRoute } from '../fetch-routes'
import { homePage, page } from './pages'
import type { Login, Target, TargetOptions } from './target-app'

/** The ids of signed-in users by the value of the session cookie. */
export type HonoSessions = Map<string, string>

interface Environment {
  readonly Bindings: { readonly tell: (verdict: string) => void }
}

/**
 * The application under attack, written for Hono and with SocialLogin.
 *
 * @param tell takes the outcome of a request
 */
export function honoTarget(
  sessions: HonoSessions,
  target: Target,
  options: TargetOptions,
  tell: (req: IncomingMessage, verdict: string) => void,
): RequestHandler {
  const app = new Hono<Environment>()
  const users = new Users(sessions, options)
  for (const login of options.logins) mountLogin(app, login, users, target, options)
  const { logins, extra = () => '' } = options
  app.get('/', (c) => c.html(homePage(logins, extra(c.req.path))))
  app.get('/me', (c) => c.json({ user: users.current(c) }))
  app.get('/become/:id', (c) => {
    users.signIn(c, c.req.param('id'))
    return c.redirect('/me')
  })
  return fetchRoute((request, req) => app.fetch(request, { tell: (verdict: string) => tell(req, verdict) }))
}

function mountLogin(
  app: Hono<Environment>,
  { name, link }: Login,
  users: Users,
  target: Target,
  options: TargetOptions,
): void {
  const login = socialLogin(name, target, options)
  app.all(`/auth/${name}`, async (c) => {
    const response = await login.start(c.req.raw, { user: users.current(c) })
    const failure = failureIn(await response.clone().text())
    if (failure !== undefined) c.env.tell(failure)
    return response
  })
  app.all(`/auth/${name}/callback`, async (c) => {
    const user = users.current(c)
    const result = await login.callback(c.req.raw, { user })
    const verdict = verdictOf(result, link)
    if (verdict !== undefined) c.env.tell(verdict)
    if (result.type !== 'success') {
      if (result.type === 'error') target.errors.push(result.error)
      return result.response
    }
    const id = `${name}:${result.profile.id}`
    for (const [header, value] of result.headers) c.header(header, value, { append: true })
    if (link) target.linked.push(`${user}: ${id}`)
    else users.signIn(c, id)
    return options.stayAtCallback ? c.html(page(`Signed in as ${id}`)) : c.redirect('/me')
  })
}

function socialLogin(name: string, target: Target, { logins, strategy, dispatcher }: TargetOptions): SocialLogin {
  const application = target.applications.get(name)
  const { provider } = logins.find((login) => login.name === name) ?? {}
  if (!application || !provider) throw new Error(`no login named ${name}`)
  return new SocialLogin({
    name,
    baseURL: provider.baseURL,
    clientID: application.appID,
    clientSecret: application.appSecret,
    callbackURL: target.callbackURL(name),
    keys: [COOKIE_KEY_CANARY],
    ...(dispatcher && { dispatcher }),
    ...strategy,
  })
}

/** Undefined where the response shows it. */
function verdictOf(result: CallbackResult, link = false): string | undefined {
  switch (result.type) {
    case 'success':
      return link ? 'linked' : 'accepted'
    case 'response':
      return undefined
    default:
      return result.code
  }
}

/** The application's session: a new cookie at each sign-in. */
class Users {
  readonly #sessions: HonoSessions
  readonly #options: TargetOptions

  constructor(sessions: HonoSessions, options: TargetOptions) {
    this.#sessions = sessions
    this.#options = options
  }

  current(c: Context): string | null {
    const { sid = '' } = parseCookie(c.req.header('cookie') ?? '')
    return this.#sessions.get(sid) ?? null
  }

  signIn(c: Context, user: string): void {
    const value = randomUUID()
    this.#sessions.set(value, user)
    const { origin, session } = this.#options
    const sameSite = Reflect.get(Object(session?.cookie), 'sameSite') === 'strict' ? 'strict' : 'lax'
    const attributes = { path: '/', httpOnly: true, secure: origin.startsWith('https:'), sameSite } as const
    c.header('Set-Cookie', stringifySetCookie({ name: 'sid', value, ...attributes }), { append: true })
  }
}
