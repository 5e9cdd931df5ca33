import type { Request } from 'express'
import { Passport } from 'passport'
import { type Profile, Strategy } from 'passport-social-login'
import type { Provider } from './provider'
import type { Sealer } from './security/sealer'
import type { Accounts, Person } from './storage/accounts'
import { idOf, SignedInUser } from './types'

/** Passport, set up. */
export type Authentication = InstanceType<typeof Passport>

/** Sets Passport up. What a login yields here is a row of `federated_credentials`; the account comes after it. */
export function createPassport(provider: Provider, accounts: Accounts, sealer: Sealer): Authentication {
  const passport = new Passport()
  passport.use(
    new Strategy(provider.options, async (accessToken, _refreshToken, profile) =>
      accounts.recordLogin({
        provider: provider.key,
        subject: profile.id,
        person: personOf(profile),
        sealedToken: await sealer.seal(accessToken, profile.id),
      }),
    ),
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
  passport.deserializeUser<string, Request>(async (req, id, done) => {
    try {
      const { loginID } = req.session
      // A login that was removed from the account signs its browsers out, and no other ones.
      const isOpen = loginID === undefined ? await accounts.exists(id) : await accounts.opens(loginID, id)
      done(null, isOpen && { id })
    } catch (error) {
      done(error)
    }
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
