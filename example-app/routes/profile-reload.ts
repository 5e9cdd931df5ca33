import { type SocialLoginClient, SocialLoginError, toProfile } from 'passport-social-login'
import type { Logger } from '../logger'
import { personOf } from '../passport'
import type { Provider } from '../provider'
import type { Sealer } from '../security/sealer'
import type { Accounts, Login } from '../storage/accounts'

/** Asks the provider for a profile again, long after the login, with the token that was kept from it. */
export class ProfileReload {
  constructor(
    private readonly client: SocialLoginClient,
    private readonly provider: Provider,
    private readonly accounts: Accounts,
    private readonly sealer: Sealer,
  ) {}

  /** What came of it, as the query of the page to go to. */
  async run(login: Login, log: Logger): Promise<URLSearchParams> {
    const token = await this.sealer.open(login.sealedToken, login.subject)
    if (token === undefined) return new URLSearchParams({ notice: 'profile_unauthorized' })
    try {
      const endpoint = this.provider.options.profileEndpoint ?? 'user/me'
      const profile = toProfile(await this.client.fetchUser(endpoint, token))
      if (profile.id !== login.subject) return new URLSearchParams({ notice: 'profile_unauthorized' })
      await this.accounts.updatePerson(login.id, personOf(profile))
      return new URLSearchParams({ notice: 'reloaded' })
    } catch (error) {
      if (!(error instanceof SocialLoginError)) throw error
      log.warn({ err: error }, 'profile not reloaded')
      const wait = error.retryAfter === undefined ? {} : { wait: String(error.retryAfter) }
      return new URLSearchParams({ notice: error.code, ...wait })
    }
  }
}
