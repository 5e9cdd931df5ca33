import type { Answer } from '../http/request'
import type { State } from '../state/state'
import type { Application, FakeUser } from '../types'
import { displayNameOf, emailOf, html, nameplate, page, portrait, unbroken } from './layout'

/** Signs the browser in as one of the users; continues to the application's login if there is one. */
export function signInPage(
  state: State,
  application?: Pick<Application, 'appID'> & Partial<Pick<Application, 'name'>>,
): Answer {
  const buttons = Array.from(
    state.users.values(),
    (user) => html`<li><button class="person" name="user_id" value="${user.user_id}">${portrait(user)}
<span>${displayNameOf(user)}<small>${emailOf(user)}</small></span></button></li>`,
  )
  const purpose = application?.name !== undefined && html`<p>to continue to <strong>${application.name}</strong></p>`
  const hidden = application && html`<input type="hidden" name="app_id" value="${application.appID}">`
  const people = html`<form method="post" action="/sign-in">${hidden}<ul>${buttons}</ul></form>`
  const nobody = html`<p>There are no users yet. <a href="/users">Add a user</a> first.</p>`
  const main = html`<div class="card narrow">${purpose}${buttons.length > 0 ? people : nobody}</div>`
  return page(state, 'Sign in', main, { leadsElsewhere: true })
}

/** The approval step of section 4.1. */
export function approvalPage(state: State, application: Application, user: FakeUser): Answer {
  const hidden = html`<input type="hidden" name="app_id" value="${application.appID}">`
  const remember = html`<p><input type="checkbox" id="remember" name="remember" value="yes">
<label for="remember">Do not ask me again</label></p>`
  const main = html`<div class="card narrow">
<p><strong>${application.name}</strong> would like to sign you in.</p>
${nameplate(user, emailOf(user))}
<p>It will see your name, e-mail address, gender, birth date and pictures.
Afterwards you return to <code>${unbroken(new URL(application.redirectURL).origin)}</code>.</p>
<form method="post" action="/approval">${hidden}
<input type="hidden" name="user_id" value="${user.user_id}">
${!state.behaviours.silentReapproval && remember}
<p class="buttons"><button class="primary" name="decision" value="approve">Approve</button>
<button name="decision" value="cancel">Cancel</button></p>
</form>
<form method="post" action="/sign-out">${hidden}<p><button>Sign in as someone else</button></p></form>
</div>`
  return page(state, `Continue to ${application.name}?`, main, { leadsElsewhere: true })
}
