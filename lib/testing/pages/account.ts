import { apiPath } from '../behaviours'
import { approvedRedirect } from '../endpoints/oauth'
import { type Answer, type ProviderRequest, redirectTo } from '../http/request'
import { sessionCookie, signedInUser } from '../state/sessions'
import type { State } from '../state/state'
import type { FakeUser } from '../types'
import { displayNameOf, guardedButton, html, type Markup, messagePage, nameplate, page } from './layout'

function loginURL(appID: string, { behaviours }: State): string {
  return `${apiPath(behaviours)}/oauth?app_id=${encodeURIComponent(appID)}`
}

/** `GET /`: the provider's home page, with the remembered approvals; Cancel redirects here. */
export function home(request: ProviderRequest, state: State): Answer {
  const user = signedInUser(request, state)
  const about = html`<p>This is a fake provider of the Social Login API: applications sign in its invented users, without passwords.
<a href="/developers">Developers</a> register an application here; <a href="/users">Users</a> are added and changed here.</p>`
  const main = user
    ? html`<section class="card" aria-labelledby="you"><h2 id="you">You</h2>${nameplate(user, 'signed in')}
<form method="post" action="/sign-out"><button>Sign out</button></form></section>${approvalsOf(user, state)}`
    : html`<div class="card"><p>You are not signed in.</p><p><a href="/sign-in">Sign in</a></p></div>`
  return page(state, 'Home', html`${about}${main}`)
}

function approvalsOf(user: FakeUser, state: State): Markup {
  const rows = state.grants.approvalsOf(user.user_id).map(({ appID }) => {
    const name = state.applications.get(appID)?.name ?? appID
    return html`<li class="person"><span>${name}</span><form method="post" action="/approval/revoke">
${guardedButton('Revoke', html`name="app_id" value="${appID}" aria-label="Revoke ${name}"`)}</form></li>`
  })
  const none = html`<p>No application signs ${displayNameOf(user)} in without asking.</p>`
  return html`<section class="card" aria-labelledby="approvals"><h2 id="approvals">Approvals</h2>
${rows.length > 0 ? html`<ul>${rows}</ul>` : none}</section>`
}

/** `POST /sign-in`. */
export function signIn(request: ProviderRequest, state: State): Answer {
  const user = state.users.get(request.form.get('user_id') ?? '')
  if (user === undefined) return messagePage(state, 400, 'Unknown user', 'There is no user with this id.')
  return withSession(request, state, user.user_id)
}

/** `POST /sign-out`. */
export function signOut(request: ProviderRequest, state: State): Answer {
  return withSession(request, state)
}

/** Redirects back to the application's login, if there is one. */
function withSession({ form, origin }: ProviderRequest, state: State, userID?: string): Answer {
  const appID = form.get('app_id')
  const cookie = { 'set-cookie': sessionCookie(origin, userID) }
  return redirectTo(appID === null ? '/' : loginURL(appID, state), 303, cookie)
}

/** `POST /approval`: the user's decision. */
export function decide(request: ProviderRequest, state: State): Answer {
  const application = state.applications.get(request.form.get('app_id') ?? '')
  if (application === undefined) return messagePage(state, 404, 'Unknown application', 'It may have been deleted.')
  const user = signedInUser(request, state)
  // The page may have asked someone who was signed in to this browser before.
  const asked = request.form.get('user_id') ?? user?.user_id
  if (user === undefined || user.user_id !== asked) return redirectTo(loginURL(application.appID, state), 303)
  // Like deployed servers: the application does not learn of a Cancel.
  if (request.form.get('decision') !== 'approve') return redirectTo('/', 303)
  const isRemembered = request.form.get('remember') === 'yes' || state.behaviours.silentReapproval
  if (isRemembered) state.grants.approve({ appID: application.appID, userID: user.user_id })
  return approvedRedirect(application, user.user_id, state)
}

/** `POST /approval/revoke`. */
export function revokeApproval(request: ProviderRequest, state: State): Answer {
  const user = signedInUser(request, state)
  const appID = request.form.get('app_id')
  if (user !== undefined && appID !== null) state.grants.revoke({ appID, userID: user.user_id })
  return redirectTo('/', 303)
}
