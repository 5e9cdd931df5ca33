import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { except } from 'hono/combine'
import { secureHeaders } from 'hono/secure-headers'
import { type Profile, SocialLogin, type SocialLoginOptions } from 'passport-social-login/web'

/** What the guides need from an application: who is signed in, and how to sign somebody in. */
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

type Link = (user: string, profile: Profile) => Promise<void>
type Registration = Readonly<Record<'baseURL' | 'clientID' | 'clientSecret' | 'LOGIN_COOKIE_KEY', string>>

export function quickStart(
  { baseURL, clientID, clientSecret, LOGIN_COOKIE_KEY }: Registration,
  { userOf, signIn }: Sessions,
  app = new Hono(),
): Hono {
  const callbackURL = 'https://app.example/auth/callback'
  const login = new SocialLogin({ baseURL, clientID, clientSecret, callbackURL, keys: [LOGIN_COOKIE_KEY] })

  app.get('/auth', async (c) => login.start(c.req.raw, { user: await userOf(c), returnTo: c.req.query('next') }))

  app.get('/auth/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: await userOf(c) })
    if (result.type !== 'success') return result.response
    const { profile, info } = result
    await signIn(c, profile) // as your application does: a session, a cookie
    return result.finish(c.redirect(info.returnTo ?? '/'))
  })
  return app
}

/** As in the whole file of docs/web.md. */
function send(c: Context, { status, headers, body }: Response): Response {
  for (const [name, value] of headers) c.header(name, value, { append: name === 'set-cookie' })
  return new Response(body, { status, headers: c.res.headers })
}

export function ownHeaders(app: Hono): void {
  // docs/web.md#headers-of-your-own, block 1
}

export function reasons(options: SocialLoginOptions): SocialLogin {
  // docs/web.md#options, block 1
  return login
}

export function linking(
  options: SocialLoginOptions,
  secondApplication: Pick<Registration, 'clientID' | 'clientSecret'>,
  app: Hono,
  { userOf, keepQuestion, takeQuestion }: Sessions & Questions,
  link: Link,
): void {
  // docs/web.md#linking-accounts, block 1
}
