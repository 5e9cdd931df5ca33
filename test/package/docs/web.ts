import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { except } from 'hono/combine'
import { secureHeaders } from 'hono/secure-headers'
import { type Profile, SocialLogin, type SocialLoginOptions } from 'passport-social-login/web'

/** What the recipes need from an application: who is signed in, and how to sign somebody in. */
export interface Sessions {
  userOf(c: Context): Promise<string | undefined>
  signIn(c: Context, profile: Profile): Promise<void>
}

/** An account that has come back from the provider, and waits for the user to say that it is theirs. */
export interface Question {
  readonly id: string
  readonly user: string
  readonly profile: Profile
}

/** Keeps one question in each session. */
interface Questions {
  keepQuestion(c: Context, question: Question): Promise<void>
  takeQuestion(c: Context, id: string): Promise<Question | undefined>
}

interface Registration {
  readonly baseURL: string
  readonly clientID: string
  readonly clientSecret: string
  readonly LOGIN_COOKIE_KEY: string
}

export function quickStart(
  { baseURL, clientID, clientSecret, LOGIN_COOKIE_KEY }: Registration,
  { userOf, signIn }: Sessions,
  app = new Hono(),
): Hono {
  const callbackURL = 'https://app.example/auth/callback'
  // Quoted: web quick start
  const login = new SocialLogin({ baseURL, clientID, clientSecret, callbackURL, keys: [LOGIN_COOKIE_KEY] })

  app.get('/auth', async (c) => login.start(c.req.raw, { user: await userOf(c), returnTo: c.req.query('next') }))

  app.get('/auth/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: await userOf(c) })
    if (result.type !== 'success') return result.response
    const { profile, info, headers } = result
    await signIn(c, profile) // as your application does: a session, a cookie
    for (const [name, value] of headers) c.header(name, value, { append: true })
    return c.redirect(info.returnTo ?? '/')
  })
  // end
  return app
}

export function ownHeaders(app: Hono): void {
  // Quoted: web own headers
  app.use(except(['/auth', '/auth/callback', '/link', '/link/callback'], secureHeaders()))
  // end
}

export function reasons(options: ConstructorParameters<typeof SocialLogin>[0]): SocialLogin {
  // Quoted: web reasons
  const login = new SocialLogin({ ...options, failureRedirect: ({ code }) => `/login?error=${code}` })
  // end
  return login
}

export function severalProviders(
  ofFirst: SocialLoginOptions,
  ofSecond: SocialLoginOptions,
): { first: SocialLogin; second: SocialLogin } {
  // Quoted: web several providers
  const first = new SocialLogin({ ...ofFirst, name: 'first', callbackURL: 'https://app.example/first/callback' })
  const second = new SocialLogin({ ...ofSecond, name: 'second', callbackURL: 'https://app.example/second/callback' })
  // end
  return { first, second }
}

export function linking(
  login: SocialLogin,
  app: Hono,
  { userOf, keepQuestion, takeQuestion }: Sessions & Questions,
  link: Link,
): void {
  // Quoted: web linking
  const callbackURL = 'https://app.example/link/callback' // registered with the provider, too

  app.post('/link', async (c) => login.start(c.req.raw, { user: await userOf(c), callbackURL }))

  app.get('/link/callback', async (c) => {
    const user = await userOf(c)
    const result = await login.callback(c.req.raw, { user, callbackURL })
    if (result.type !== 'success') return result.response
    for (const [name, value] of result.headers) c.header(name, value, { append: true })
    if (!user) return c.redirect('/login')
    // Not linked yet: the page at /link/confirm shows the account, and a form that posts the id of this question.
    await keepQuestion(c, { id: randomUUID(), user, profile: result.profile })
    return c.redirect('/link/confirm')
  })

  app.post('/link/confirm', async (c) => {
    if (c.req.header('sec-fetch-site') !== 'same-origin') return c.body(null, 403)
    const { id } = await c.req.parseBody()
    const question = await takeQuestion(c, String(id))
    // Another link has come back, or somebody else has signed in, since that page was shown.
    if (question === undefined || question.user !== (await userOf(c))) return c.redirect('/link/confirm')
    await link(question.user, question.profile)
    return c.redirect('/account')
  })
  // end
}

type Link = (user: string, profile: Profile) => Promise<void>
