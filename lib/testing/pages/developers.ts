import { type Answer, type ProviderRequest, redirectTo } from '../http/request'
import type { State } from '../state/state'
import type { Application } from '../types'
import { afterChange, field, html, type Markup, page } from './layout'

const urlField = html`type="url" required spellcheck="false" autocomplete="off" placeholder="http://localhost:3000/callback"`

/** `GET /developers`: the application dashboard of section 2.1. */
export function dashboard(_request: ProviderRequest, state: State): Answer {
  const list = state.applications.all().map((application) => applicationCard(application))
  const none = html`<p>No application is registered yet.</p>`
  const main = html`<section class="card" aria-labelledby="register"><h2 id="register">Register an application</h2>
<form method="post" action="/developers">
${field('name', 'Name', '', html`required maxlength="200" autocomplete="off"`)}
${field('redirect_url', 'App Redirect URL', '', urlField)}
<p><button class="primary">Register</button></p></form></section>
<section aria-labelledby="applications"><h2 id="applications">Applications</h2>${list.length > 0 ? list : none}</section>`
  return page(state, 'Developers', main)
}

function applicationCard({ appID, appSecret, name, redirectURL }: Application): Markup {
  const action = `/developers/${encodeURIComponent(appID)}`
  const id = `app-${appID}`
  return html`<article class="card" aria-labelledby="${id}"><h3 id="${id}">${name}</h3>
<dl><dt>app_id</dt><dd><code>${appID}</code></dd><dt>app_secret</dt><dd><code>${appSecret}</code></dd></dl>
<form method="post" action="${action}"><p class="field"><label for="url-${appID}">App Redirect URL</label>
<input id="url-${appID}" name="redirect_url" value="${redirectURL}" ${urlField}></p>
<p class="buttons"><button aria-label="Change the URL of ${name}">Change the URL</button>
<button formaction="${action}/secret" formnovalidate aria-label="Renew the secret of ${name}">Renew the secret</button>
<button class="danger" formaction="${action}/delete" formnovalidate aria-label="Delete ${name}">Delete</button></p></form></article>`
}

/** `POST /developers`. */
export function registerApplication(request: ProviderRequest, state: State): Answer {
  const name = request.form.get('name') ?? ''
  const redirectURL = request.form.get('redirect_url') ?? ''
  return afterChange(state, '/developers', () => state.applications.register({ name, redirectURL }))
}

/** `POST /developers/:appID`. */
export function changeURL(request: ProviderRequest, state: State, appID: string): Answer {
  const redirectURL = request.form.get('redirect_url') ?? ''
  return afterChange(state, '/developers', () => state.applications.update(appID, { redirectURL }))
}

/** `POST /developers/:appID/secret`. */
export function renewSecret(_request: ProviderRequest, state: State, appID: string): Answer {
  return afterChange(state, '/developers', () => state.applications.renewSecret(appID))
}

/** `POST /developers/:appID/delete`. */
export function deleteApplication(_request: ProviderRequest, state: State, appID: string): Answer {
  state.grants.forgetApplication(appID)
  state.applications.remove(appID)
  return redirectTo('/developers', 303)
}
