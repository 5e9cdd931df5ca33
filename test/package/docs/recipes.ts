import { randomUUID } from 'node:crypto'
import cookieSession from 'cookie-session'
import express, { type Application, type ErrorRequestHandler, type RequestHandler, type Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import passport, { type Authenticator } from 'passport'
import {
  CookieStore,
  type OutcomeCode,
  onPhaseEnd,
  SocialLoginClient,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  type VerifyFunction,
} from 'passport-social-login'
import { FakeProvider } from 'passport-social-login/testing'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { EnvHttpProxyAgent } from 'undici'

type Common = StrategyOptions

// Quoted: linking types
declare global {
  namespace Express {
    interface Request {
      account?: User // what passport.authorize found
    }
  }
}
declare module 'express-session' {
  interface SessionData {
    question?: { id: string; account: Express.User }
  }
}
// end

export function cookieStore(common: Common, verify: VerifyFunction, LOGIN_COOKIE_KEY: string): void {
  // Quoted: cookie store
  passport.use(new Strategy({ ...common, store: new CookieStore({ keys: [LOGIN_COOKIE_KEY] }) }, verify))
  // end
}

export function sessionFirst(app: Application, strategy: Pick<Strategy, 'pendingLogin'>): void {
  // Quoted: session first
  app.use('/auth/social-login/callback', async (req, _res, next) => {
    try {
      if (await strategy.pendingLogin(req)) req.session.save(next)
      else next() // Otherwise each request, of anybody, would leave a session in the store.
    } catch (failure) {
      next(failure)
    }
  })
  // end
}

export function cookieSessions(app: Application, passport: Pick<Authenticator, 'session'>, SESSION_KEY: string): void {
  // Quoted: cookie-session
  app.use(cookieSession({ keys: [SESSION_KEY], sameSite: 'lax', maxAge: 8 * 60 * 60 * 1000 }))
  app.use((req, _res, next) => {
    const session = req.session ?? {}
    // Passport calls both, at a login and at a logout. Emptied in place: cookie-session would not save a new, empty one.
    const regenerate = (done: () => void): void => {
      for (const name of Object.keys(session)) Reflect.deleteProperty(session, name)
      done()
    }
    const save = (done: () => void): void => done() // it is saved with the response
    Object.defineProperties(session, { regenerate: { value: regenerate }, save: { value: save } })
    next()
  })
  app.use(passport.session())
  // end
}

export function severalProviders(first: Common, second: Common, verify: VerifyFunction): void {
  // Quoted: several providers
  passport.use(new Strategy({ ...first, name: 'first', callbackURL: '/auth/first/callback' }, verify))
  passport.use(new Strategy({ ...second, name: 'second', callbackURL: '/auth/second/callback' }, verify))
  // end
}

export function errorHandling(app: Application): void {
  // Quoted: error handling
  const handleErrors: ErrorRequestHandler = (error, _req, res, next) => {
    if (!(error instanceof SocialLoginError)) return next(error)
    console.error(error.code, error.phase, error.message) // nothing secret in it
    res.status(error.status).send('Signing in is not possible at the moment. Please try again later.')
  }
  app.use(handleErrors)
  // end
}

export function reasons(app: Application): void {
  // Quoted: reasons
  const texts: Partial<Record<OutcomeCode, string>> = {
    auth_key_rejected: 'The provider did not confirm the login.',
    login_expired: 'That took too long.',
    login_not_started: 'Your browser does not seem to keep cookies.',
  }
  const textOf = new Map<unknown, string>(Object.entries(texts))

  const finishLogin: RequestHandler = (req, res, next) => {
    const authenticate: RequestHandler = passport.authenticate(
      'social-login',
      (error: unknown, user?: Express.User | false | null, info?: { code?: OutcomeCode }) => {
        if (error) return next(error)
        // No page here: the address holds the key, which may be unspent.
        if (!user) return res.redirect(`/login?reason=${info?.code}`)
        req.logIn(user, (failure) => (failure ? next(failure) : res.redirect('/profile')))
      },
    )
    authenticate(req, res, () => res.redirect('/profile')) // a reload in a browser that is signed in already
  }
  app.get('/auth/social-login/callback', finishLogin)
  app.get('/login', (req, res) => {
    const { reason } = req.query
    res.send(`<p>${textOf.get(reason) ?? ''}</p> <a href="/auth/social-login">Sign in</a>`)
  })
  // end
}

export function returnTo(app: Application): void {
  // Quoted: return to
  app.get('/auth/social-login', (req, res, next) => {
    const { returnTo } = req.query
    passport.authenticate('social-login', typeof returnTo === 'string' ? { returnTo } : {})(req, res, next)
  })
  app.get(
    '/auth/social-login/callback',
    passport.authenticate('social-login', { failureRedirect: '/login' }),
    (req, res) => {
      res.redirect(req.authInfo?.returnTo ?? '/')
    },
  )
  // end
}

export function returnToOrRedirect(app: Application): void {
  // Quoted: return to or redirect
  const callback = { successReturnToOrRedirect: '/', failureRedirect: '/login' }
  app.get('/auth/social-login/callback', passport.authenticate('social-login', callback))
  // end
}

export function notFinished(app: Application, options: Common, verify: VerifyFunction): void {
  // Quoted: not finished
  const strategy = new Strategy(options, verify)
  passport.use(strategy)

  app.get('/login', async (req, res, next) => {
    try {
      const pending = await strategy.pendingLogin(req)
      const query = pending?.returnTo ? `?${new URLSearchParams({ returnTo: pending.returnTo })}` : ''
      const notice = pending ? '<p>You did not finish signing in.</p>' : ''
      res.send(`${notice}<a href="/auth/social-login${query}">Sign in</a>`)
    } catch (failure) {
      next(failure) // Express 4 would end the process instead.
    }
  })
  // end
}

export function limitGuessing(app: Application): void {
  // Quoted: limit guessing
  const rejected = new RateLimiterMemory({ points: 10, duration: 10 * 60 })
  const underWay = new Map<string, Set<Response>>()

  const finishLogin: RequestHandler = async (req, res, next) => {
    const address = ipKeyGenerator(req.ip ?? '')
    const guesses = underWay.get(address) ?? new Set()
    // Answered without a word to us, as a prefetch is: no guess, even if nobody reads the answer, so that it never finishes.
    for (const other of guesses) if (other.writableEnded) guesses.delete(other)
    // Counted before the provider is asked, so that guesses sent at once do not all pass.
    const { size } = guesses.add(res)
    underWay.set(address, guesses)
    const release = (): void => {
      clearTimeout(timer)
      if (guesses.delete(res) && guesses.size === 0) underWay.delete(address)
    }
    // Not `close`: a guess stays one when the visitor has left.
    res.once('finish', release)
    const timer = setTimeout(release, 15_000).unref()
    try {
      const { consumedPoints = 0 } = (await rejected.get(address)) ?? {}
      if (consumedPoints + size > 10) {
        release()
        return void res.status(429).send('Please try again later.')
      }
    } catch (failure) {
      release()
      return next(failure) // Express 4 would end the process instead.
    }
    passport.authenticate(
      'social-login',
      async (error: unknown, user?: Express.User | false | null, info?: { code?: OutcomeCode }) => {
        // Passport does not wait for what this function promises: nothing may be thrown out of it.
        try {
          // Only what the provider refuses costs anything, not reloads, outages or good logins.
          if (info?.code === 'auth_key_rejected') await rejected.penalty(address)
        } catch (failure) {
          return next(failure)
        } finally {
          release()
        }
        if (error) return next(error)
        if (user) return req.logIn(user, next)
        res.redirect('/login')
      },
    )(req, res, next)
  }
  app.get('/auth/social-login/callback', finishLogin, (_req, res) => res.redirect('/profile'))
  // end
}

export function linking(app: Application, link: (user: Express.User, account: Express.User) => Promise<void>): void {
  // Quoted: linking
  const requireUser: RequestHandler = (req, res, next) => (req.user ? next() : res.redirect('/login'))
  const authorize = passport.authorize('social-login-link', { failureRedirect: '/account' })

  app.get('/account/link', requireUser, authorize)
  app.get('/account/link/callback', requireUser, authorize, (req, res) => {
    // Fails where the person has signed out while the provider was asked: saving the session would undo that.
    req.session.reload((error) => {
      if (error) return res.redirect('/login')
      // Not linked yet: the page at /account/link/confirm shows the account, and a form that posts the id of this question.
      if (req.account) req.session.question = { id: randomUUID(), account: req.account }
      res.redirect('/account/link/confirm')
    })
  })
  app.post('/account/link/confirm', requireUser, express.urlencoded({ extended: false }), async (req, res, next) => {
    if (req.get('sec-fetch-site') !== 'same-origin') return void res.sendStatus(403)
    const { user, session } = req
    // Another link has come back since that page was shown: what the person saw is not what waits now.
    if (!user || !session.question || req.body?.id !== session.question.id) return res.redirect('/account/link/confirm')
    const { account } = session.question
    delete session.question
    try {
      await link(user, account)
    } catch (failure) {
      return next(failure) // Express 4 would end the process instead.
    }
    res.redirect('/account')
  })
  // end
}

export function assurance(app: Application): void {
  // Quoted: assurance
  const finishLogin: RequestHandler = passport.authenticate('social-login', { failureRedirect: '/login' })
  // `all`: with `tabBinding`, the callback is followed by a POST to the same address.
  app.all('/auth/social-login/callback', finishLogin, (req, res) => {
    const { assurance, returnTo = '/' } = req.authInfo ?? {}
    res.redirect(assurance?.tabBound ? returnTo : '/account/confirm')
  })
  // end
}

export async function client(baseURL: string, clientID: string, clientSecret: string, authKey: string) {
  // Quoted: client
  const client = new SocialLoginClient({ baseURL, clientID, clientSecret })
  const { access_token } = await client.exchangeAuthKey(authKey, { signal: AbortSignal.timeout(5000) })
  const user = await client.getCurrentUser(access_token)
  await client.close()
  // end
  return user
}

export async function fakeProvider(callApplication: (app: object, authKey: string) => Promise<void>): Promise<void> {
  // Quoted: fake provider
  const provider = await FakeProvider.start()
  const app = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/callback' })
  const authKey = provider.issueAuthKey({ appID: app.appID, userID: '1' }) // as an approval would have issued it
  await callApplication(app, authKey) // its callback, with `?auth_key=` and the key
  console.log(provider.requests) // what your application has asked the provider
  await provider.stop()
  // end
}

export function proxy(common: Common, verify: VerifyFunction): void {
  // Quoted: proxy
  passport.use(new Strategy({ ...common, dispatcher: new EnvHttpProxyAgent() }, verify))
  // end
}

export function diagnostics(metrics: { observe(name: string, value: number, labels: object): void }): void {
  // Quoted: diagnostics
  onPhaseEnd('exchange', ({ duration = 0, code = 'ok' }) => metrics.observe('exchange_ms', duration, { code }))
  // end
}

export const newApp = (): Application => express()
