import { decodeHTMLStrict } from 'entities'
import { type SocialLoginClient, SocialLoginError, type SocialLoginUser } from 'passport-social-login'
import type { Logger } from '../logger'
import type { Provider } from '../provider'
import type { Sealer } from '../security/sealer'
import type { Accounts, Login, Person } from '../storage/accounts'

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
      const user = await this.#load(token)
      if (user.user_id !== login.subject) return new URLSearchParams({ notice: 'profile_unauthorized' })
      await this.accounts.updatePerson(login.id, personOf(user))
      return new URLSearchParams({ notice: 'reloaded' })
    } catch (error) {
      if (!(error instanceof SocialLoginError)) throw error
      log.warn({ err: error }, 'profile not reloaded')
      const wait = error.retryAfter === undefined ? {} : { wait: String(error.retryAfter) }
      return new URLSearchParams({ notice: error.code, ...wait })
    }
  }

  #load(token: string): Promise<SocialLoginUser> {
    const isLegacy = this.provider.options.profileEndpoint === 'get_user_info'
    return isLegacy ? this.client.getUserInfo(token) : this.client.getCurrentUser(token)
  }
}

/** The provider's own record as the pages show it. Deployed servers encode names for HTML before they store them. */
function personOf(user: SocialLoginUser): Person {
  const text = (value: string | null): string | undefined => (value ? decodeHTMLStrict(value).trim() : undefined)
  const username = text(user.user_name)
  const names = [text(user.user_firstname), text(user.user_lastname)].filter(Boolean)
  return {
    displayName: names.join(' ') || (username ?? ''),
    username,
    email: text(user.user_email),
    picture: text(user.user_picture),
    cover: text(user.user_cover),
    gender: text(user.user_gender),
    birthday: text(user.user_birthdate),
    badge: user.user_verified ?? undefined,
  }
}
