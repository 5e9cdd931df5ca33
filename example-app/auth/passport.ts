import { randomUUID } from 'node:crypto'
import type { Request } from 'express'
import { Passport } from 'passport'
import { type PendingLoginStore, type Profile, Strategy } from 'passport-social-login'
import type { Accounts, LoginInput, Person } from '../storage/accounts'
import type { Communities, Community } from './communities'
import { idOf, SignedInAccount, SignedInUser } from './sign-in'
import type { TokenSealer } from './token-sealer'

export type Authentication = InstanceType<typeof Passport>

interface PassportParts {
  readonly communities: Communities
  readonly accounts: Accounts
  readonly sealer: TokenSealer
  /** Keeps the login in progress. */
  readonly store: PendingLoginStore
}

/** What the verify function returns. Nothing of it has been stored yet. */
export class VerifiedLogin {
  /** Of the question that it may lead to: the same one, however many requests of a person who reloads share this login. */
  readonly questionID = randomUUID()

  constructor(readonly input: LoginInput) {}
}

/** Passport, and the strategy that it uses. */
interface PassportSetup {
  readonly passport: Authentication
  readonly strategy: Strategy
}

/** Sets up Passport. The verify function stores nothing: `login.ts` stores the login together with its account. */
export function createPassport({ communities, accounts, sealer, store }: PassportParts): PassportSetup {
  const passport = new Passport()
  const provider = (req: object): Community | undefined => communities.of(req)
  // Allowed because the operator configures the communities, which may be on this machine or in a network of their own.
  const options = { provider, store, allowPrivateAddresses: true }
  const strategy = new Strategy(options, async (accessToken, _refreshToken, profile) => {
    const login = { provider: profile.provider, subject: profile.id }
    const sealedToken = await sealer.seal(accessToken, login)
    return new VerifiedLogin({ ...login, person: personOf(profile), sealedToken })
  })
  passport.use(strategy)
  // The session holds only ids. Everything else is read from the database when needed, so it is never stale.
  passport.serializeUser<string, Request>((req, user, done) => {
    // The new session has not been saved yet, so it is saved together with the question to confirm: a signed-in session
    // without that question never exists.
    if (user instanceof SignedInUser) {
      req.session.loginID = user.loginID
      if (user.unconfirmed) req.session.unconfirmed = user.unconfirmed
    }
    done(null, idOf(user))
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
  return { passport, strategy }
}

/** The fields of a profile that are stored and shown. */
export function personOf({
  displayName,
  username,
  emails,
  photos,
  coverPhoto,
  gender,
  birthday,
  badge,
}: Profile): Person {
  const [email, picture] = [emails?.[0]?.value, photos?.[0]?.value]
  return { displayName, username, email, picture, cover: coverPhoto, gender, birthday, badge }
}
