import { Router } from 'express'
import { SocialLoginError, toProfile } from 'passport-social-login'
import { personOf, type Services } from '../auth/passport'
import { accountOf, requireUser, SignedInAccount } from '../auth/sign-in'
import type { Login } from '../storage/accounts'
import { noticeFor } from '../views/messages'
import { homePage, profilePage } from '../views/pages'
import { HTTPError } from '../web/errors'
import { sameOriginForms } from '../web/headers'
import type { Logger } from '../web/logger'
import { field, sendPage, wantsJSON } from '../web/respond'

/** The home page, and the profile of the signed-in user, as a page for people and as JSON for programs. */
export function profileRoutes(services: Services): Router {
  const router = Router()

  router.get('/', (req, res) => {
    const [login] = req.user instanceof SignedInAccount ? req.user.logins : []
    sendPage(req, res, homePage(login, services.communities))
  })

  router.use('/profile', requireUser)

  router.get('/profile', (req, res) => {
    const account = accountOf(req)
    const login = firstLogin(account)
    if (wantsJSON(req)) return void res.set('Cache-Control', 'no-store').json(asJSON(login, account.id))
    const notice = noticeFor(field(req.query, 'notice'), field(req.query, 'wait'))
    sendPage(req, res, profilePage({ login, communities: services.communities, notice }))
  })

  router.post('/profile/reload', sameOriginForms, async (req, res) => {
    res.redirect(303, `/profile?${await reload(services, firstLogin(accountOf(req)), req.log)}`)
  })
  return router
}

/** The profile stays the same after a sign-in with another login, and after a login is added. */
function firstLogin({ logins: [login] }: SignedInAccount): Login {
  if (!login) throw new HTTPError(404, 'This account has no login.')
  return login
}

/** Uses the field names of Passport profiles. `id` is the provider's user id. */
function asJSON({ provider, subject, person }: Login, account: string): object {
  const { email, picture, cover, ...others } = person
  return {
    ...others,
    provider,
    id: subject,
    account,
    emails: email === undefined ? undefined : [{ value: email }],
    photos: picture === undefined ? undefined : [{ value: picture }],
    coverPhoto: cover,
  }
}

/**
 * Requests the profile again, long after the login, with the access token that was stored then.
 *
 * @returns the query of the profile page that reports the result
 */
async function reload(services: Services, login: Login, log: Logger): Promise<URLSearchParams> {
  const { communities, accounts, sealer } = services
  // Only the community of a login may see its token and say whose it is. It may not be configured any more.
  const community = communities.find(({ name }) => name === login.provider)
  if (!community) return new URLSearchParams({ notice: 'other_provider' })
  const token = await sealer.open(login.sealedToken, login)
  if (token === undefined) return new URLSearchParams({ notice: 'profile_unauthorized' })
  try {
    const { client, options } = community
    const profile = toProfile(await client.fetchUser(options.profileEndpoint ?? 'user/me', token))
    if (profile.id !== login.subject) return new URLSearchParams({ notice: 'profile_unauthorized' })
    await accounts.updatePerson(login.id, personOf(profile))
    return new URLSearchParams({ notice: 'reloaded' })
  } catch (error) {
    if (!(error instanceof SocialLoginError)) throw error
    log.warn({ err: error }, 'profile not reloaded')
    const query = new URLSearchParams({ notice: error.code })
    if (error.retryAfter !== undefined) query.set('wait', String(error.retryAfter))
    return query
  }
}
