import { approvedRedirect } from '../endpoints/oauth'
import { type Answer, redirectTo } from '../http/answer'
import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import type { FakeUser } from '../types'
import { html, type Markup } from './html'
import { messagePage, page } from './layout'
import { signInPage } from './login'
import { displayNameOf, portrait } from './people-parts'

function signedIn(request: ProviderRequest, state: State): FakeUser | undefined {
  return state.users.get(state.sessions.userIDOf(request.headers.cookie) ?? '')
}

function loginURL(appID: string): string {
  return `/api/oauth?app_id=${encodeURIComponent(appID)}`
}

/** `GET /`: the provider's home page; Cancel redirects here. */
export function home(request: ProviderRequest, state: State): Answer {
  const user = signedIn(request, state)
  const who = user
    ? html`<div class="person still">${portrait(user)}<span>You are ${displayNameOf(user)}<small>signed in</small></span></div>
<form method="post" action="/sign-out"><button>Sign out</button></form>`
    : html`<p>You are not signed in.</p><p><a class="button" href="/sign-in">Sign in</a></p>`
  return page(
    state,
    'Home',
    html`<section class="card" aria-labelledby="you"><h2 id="you">You</h2>${who}</section>
<section class="card" aria-labelledby="there"><h2 id="there">Pages</h2><ul>
<li><a href="/developers">Developers</a>: register applications, see their ids and secrets</li>
<li><a href="/users">People</a>: who can sign in, and what applications see of them</li>
<li><a href="/approvals">Approvals</a>: applications that sign you in without asking</li></ul></section>`,
  )
}

/** `GET /sign-in`. */
export function showSignIn(_request: ProviderRequest, state: State): Answer {
  return signInPage(state)
}

/** `POST /sign-in`. */
export function signIn(request: ProviderRequest, state: State): Answer {
  const user = state.users.get(request.form.get('user_id') ?? '')
  if (user === undefined) return messagePage(state, 400, 'Unknown person', 'There is no person with this id.')
  const appID = request.form.get('app_id')
  const cookie = { 'set-cookie': state.sessions.signIn(user.user_id, request.headers.cookie) }
  return redirectTo(appID === null ? '/' : loginURL(appID), 303, cookie)
}

/** `POST /sign-out`. */
export function signOut(request: ProviderRequest, state: State): Answer {
  const appID = request.form.get('app_id')
  const cookie = { 'set-cookie': state.sessions.signOut(request.headers.cookie) }
  return redirectTo(appID === null ? '/' : loginURL(appID), 303, cookie)
}

/** `POST /approval`: the person's decision. */
export function decide(request: ProviderRequest, state: State): Answer {
  const application = state.applications.get(request.form.get('app_id') ?? '')
  if (application === undefined) return messagePage(state, 404, 'Unknown application', 'It may have been deleted.')
  const user = signedIn(request, state)
  // The page may have asked somebody who was signed in to this browser before.
  const asked = request.form.get('user_id') ?? user?.user_id
  if (user === undefined || user.user_id !== asked) return redirectTo(loginURL(application.appID), 303)
  // Like deployed servers: the application is not told of a Cancel.
  if (request.form.get('decision') !== 'approve') return redirectTo('/', 303)
  const isRemembered = request.form.get('remember') === 'yes' || state.behaviours().silentReapproval
  if (isRemembered) state.grants.approve({ appID: application.appID, userID: user.user_id })
  return approvedRedirect(application, user.user_id, state)
}

/** `GET /approvals`: the remembered approvals. */
export function approvals(request: ProviderRequest, state: State): Answer {
  const user = signedIn(request, state)
  if (user === undefined) {
    return page(
      state,
      'Approvals',
      html`<div class="card"><p>You are not signed in.</p>
<p><a class="button" href="/sign-in">Sign in</a></p></div>`,
    )
  }
  const rows = state.grants.approvalsOf(user.user_id).map((grant) => approvalRow(grant.appID, state))
  const none = html`<p>No application signs ${displayNameOf(user)} in without asking.</p>`
  const main = rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : none
  return page(state, 'Approvals', html`<div class="card">${main}</div>`)
}

function approvalRow(appID: string, state: State): Markup {
  const name = state.applications.get(appID)?.name ?? appID
  return html`<li><span>${name}</span><form method="post" action="/approvals">
<button name="app_id" value="${appID}" aria-label="Revoke ${name}">Revoke</button></form></li>`
}

/** `POST /approvals`: revokes one. */
export function revokeApproval(request: ProviderRequest, state: State): Answer {
  const user = signedIn(request, state)
  const appID = request.form.get('app_id')
  if (user !== undefined && appID !== null) state.grants.revoke({ appID, userID: user.user_id })
  return redirectTo('/approvals', 303)
}
