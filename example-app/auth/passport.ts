import type { Request } from 'express'
import { Passport } from 'passport'
import { type PendingLoginStore, type Profile, Strategy } from 'passport-social-login'
import type { LoginInput, Person } from '../storage/accounts'
import type { DatabaseSessions } from '../storage/sessions'
import type { Provider } from './provider'
import type { Sealer } from './sealer'
import { idOf, SignedInAccount, SignedInUser } from './sign-in'

/** Passport, set up. */
export type Authentication = InstanceType<typeof Passport>

interface PassportParts {
  readonly provider: Provider
  readonly sessions: DatabaseSessions
  readonly sealer: Sealer
  /** Keeps the login in progress. */
  readonly store: PendingLoginStore
}

/** What a login yields, before anything of it is kept. */
export class VerifiedLogin {
  constructor(readonly input: LoginInput) {}
}

/** Sets Passport up. What a login yields here is not yet kept: `login.ts` does that, together with the account. */
export function createPassport({ provider, sessions, sealer, store }: PassportParts): Authentication {
  const passport = new Passport()
  passport.use(
    new Strategy({ ...provider.options, store }, async (accessToken, _refreshToken, profile) => {
      const sealedToken = await sealer.seal(accessToken, profile.id)
      const person = personOf(profile)
      return new VerifiedLogin({ provider: provider.key, subject: profile.id, person, sealedToken })
    }),
  )
  // Only ids go into the session: what else is known of somebody is read when it is needed, and is never stale.
  passport.serializeUser<string, Request>((req, user, done) => {
    // Here the session is new and not yet saved: it is never there without the question that comes before its pages.
    if (user instanceof SignedInUser) {
      req.session.loginID = user.loginID
      if (user.unconfirmed) req.session.unconfirmed = user.unconfirmed
    }
    done(null, idOf(user))
  })
  passport.deserializeUser<string, Request>((req, id, done) => {
    const { loginID } = req.session
    const { logins, readAt } = sessions.ownerOf(req) ?? { logins: [], readAt: 0 }
    // A login that was removed from the account signs its browsers out, and no other ones.
    const isOpen = loginID === undefined ? logins.length > 0 : logins.some((login) => login.id === loginID)
    done(null, isOpen && new SignedInAccount(id, logins, readAt))
  })
  return passport
}

/** What the pages show of a profile. */
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
