import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { Passport } from 'passport'
import { type PendingLoginStore, type Profile, Strategy } from 'passport-social-login'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Accounts, LoginInput, Person } from '../storage/accounts'
import type { DatabaseSessions } from '../storage/sessions'
import type { Communities } from './communities'
import type { KnownLogins } from './cookies'
import { NewSession, SignedInAccount } from './sign-in'
import type { TokenSealer } from './token-sealer'

export type Authentication = InstanceType<typeof Passport>

/** What the verify function returns. Nothing of it has been stored yet. */
export class VerifiedLogin {
  /**
   * The id of the question that the login may lead to: the same one, however many requests of a reloading user share
   * it.
   */
  readonly questionID = randomUUID()

  constructor(readonly input: LoginInput) {}
}

/** What the routes of this application use. */
export interface Services {
  readonly passport: Authentication
  /** One for each community. */
  readonly strategies: readonly Strategy[]
  readonly communities: Communities
  readonly accounts: Accounts
  readonly sessions: DatabaseSessions
  readonly sealer: TokenSealer
  readonly knownLogins: KnownLogins
  readonly guessLimiter: RateLimiterAbstract
}

/** Sets up Passport. The verify function stores nothing: `login.ts` stores the login together with its account. */
export function createPassport(
  { communities, accounts, sealer }: Pick<Services, 'communities' | 'accounts' | 'sealer'>,
  store: PendingLoginStore,
): Pick<Services, 'passport' | 'strategies'> {
  const passport = new Passport()
  const strategies = communities.map(({ name: provider, options }) => {
    return new Strategy({ ...options, store }, async (accessToken, _refreshToken, profile) => {
      const login = { provider, subject: profile.id }
      const sealedToken = await sealer.seal(accessToken, login)
      return new VerifiedLogin({ ...login, person: personOf(profile), sealedToken })
    })
  })
  for (const strategy of strategies) passport.use(strategy)
  // The session holds only ids. Everything else is read from the database when needed, so it is never stale.
  passport.serializeUser<string, Request>((req, session, done) => {
    if (!(session instanceof NewSession)) return done(new TypeError('Only signIn signs in'))
    // The new session has not been saved yet, so it is saved together with the question to confirm: a signed-in session
    // without that question never exists.
    req.session.loginID = session.loginID
    if (session.unconfirmed) req.session.unconfirmed = session.unconfirmed
    done(null, session.userID)
  })
  passport.deserializeUser<string, Request>((req, id, done) => {
    const { loginID } = req.session
    const signedIn = accounts.loginsOf(id).then(({ logins, readAt }) => {
      // Removing a login from an account signs out the browsers that used it, but no others.
      const isOpen = logins.some((login) => login.id === loginID)
      return isOpen && new SignedInAccount(id, logins, readAt)
    })
    signedIn.then((account) => done(null, account), done)
  })
  return { passport, strategies }
}

/** The fields of a profile that are stored and shown. */
export function personOf(profile: Profile): Person {
  const { displayName, username, coverPhoto: cover, gender, birthday, badge } = profile
  const [email, picture] = [profile.emails?.[0]?.value, profile.photos?.[0]?.value]
  return { displayName, username, email, picture, cover, gender, birthday, badge }
}
