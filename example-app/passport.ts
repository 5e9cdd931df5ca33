import { Passport } from 'passport'
import { type Profile, Strategy } from 'passport-social-login'
import type { Provider } from './provider'
import type { Sealer } from './security/sealer'
import type { Accounts, Person } from './storage/accounts'
import { idOf } from './types'

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
  // Only the id goes into the session: what else is known of somebody is read when it is needed, and is never stale.
  passport.serializeUser((user, done) => done(null, idOf(user)))
  passport.deserializeUser<string>(async (id, done) => {
    try {
      done(null, (await accounts.exists(id)) && { id })
    } catch (error) {
      done(error)
    }
  })
  return passport
}

function personOf({ displayName, username, emails, photos, coverPhoto, gender, birthday, badge }: Profile): Person {
  const [email, picture] = [emails?.[0]?.value, photos?.[0]?.value]
  return { displayName, username, email, picture, cover: coverPhoto, gender, birthday, badge }
}
