import { Router } from 'express'
import type { Provider } from '../provider'
import { sameOriginForms } from '../security/same-origin'
import type { Login } from '../storage/accounts'
import type { SignedInAccount } from '../types'
import { noticeFor } from '../views/notices'
import { profilePage } from '../views/profile'
import { field, sendPage, wantsJSON } from './answers'
import { HTTPError } from './errors'
import type { ProfileReload } from './profile-reload'
import { accountOf, requireUser } from './require-user'

/** The signed-in user as the provider describes them: for people as a page, for programs as JSON. */
export function profileRoutes(provider: Provider, reload: ProfileReload): Router {
  const router = Router()
  router.use('/profile', requireUser)

  router.get('/profile', (req, res) => {
    const account = accountOf(req)
    const login = latestLogin(account)
    if (wantsJSON(req)) return void res.set('Cache-Control', 'no-store').json(asJSON(login, account.id))
    const notice = noticeFor(field(req.query, 'notice'), field(req.query, 'wait'))
    sendPage(req, res, profilePage({ login, providerOrigin: provider.origin, notice }))
  })

  router.post('/profile/reload', sameOriginForms, async (req, res) => {
    res.redirect(303, `/profile?${await reload.run(latestLogin(accountOf(req)), req.log)}`)
  })
  return router
}

function latestLogin({ logins: [login] }: SignedInAccount): Login {
  if (!login) throw new HTTPError(404, 'This account has no login.')
  return login
}

/** Passport's own names for what is known of a person; `id` is the provider's, as text. */
function asJSON({ provider, subject, person }: Login, account: string): object {
  const { displayName, username, email, picture, cover, gender, birthday, badge } = person
  return {
    provider,
    id: subject,
    account,
    displayName,
    username,
    emails: email === undefined ? undefined : [{ value: email }],
    photos: picture === undefined ? undefined : [{ value: picture }],
    coverPhoto: cover,
    gender,
    birthday,
    badge,
  }
}
