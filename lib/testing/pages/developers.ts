import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import type { Application } from '../types'
import { change, field, guardedButton, html, type Markup, PRIMARY, page } from './layout'

const urlField = html`type="url" required spellcheck="false" autocomplete="off" placeholder="http://localhost:3000/callback"`

/** `GET /developers`: the application dashboard of section 2.1. */
export function dashboard(_request: ProviderRequest, state: State): Answer {
  const list = Array.from(state.applications.values(), applicationCard)
  const none = html`<p>No application is registered yet.</p>`
  const main = html`<section class="card" aria-labelledby="register"><h2 id="register">Register an application</h2>
<form method="post" action="/developers">
${field('name', 'Name', '', html`required maxlength="200" autocomplete="off"`)}
${field('redirect_url', 'App Redirect URL', '', urlField)}
<p>${guardedButton('Register', PRIMARY)}</p></form></section>
<section aria-labelledby="applications"><h2 id="applications">Applications</h2>${list.length > 0 ? list : none}</section>`
  return page(state, 'Developers', main, { copies: true })
}

function applicationCard({ appID, appSecret, name, redirectURL }: Application): Markup {
  const action = `/developers/${encodeURIComponent(appID)}`
  const id = `app-${appID}`
  return html`<article class="card" aria-labelledby="${id}"><h3 id="${id}">${name}</h3>
<dl>${copied('app_id', appID)}${copied('app_secret', appSecret)}</dl>
<form method="post" action="${action}">
${field('redirect_url', 'App Redirect URL', redirectURL, urlField, `url-${appID}`)}
<p class="buttons">${guardedButton('Change the URL', html`aria-label="Change the URL of ${name}"`)}
${guardedButton('Renew the secret', html`formaction="${action}/secret" formnovalidate aria-label="Renew the secret of ${name}"`)}
${guardedButton('Delete', html`formaction="${action}/delete" formnovalidate aria-label="Delete ${name}"`)}</p></form></article>`
}

/** A value for the application's environment, with a button that copies it. */
function copied(name: string, value: string): Markup {
  return html`<dt>${name}</dt><dd><code>${value}</code>
<button type="button" class="copy" aria-label="Copy the ${name}" hidden>Copy</button></dd>`
}

const redirectURLIn = (form: URLSearchParams): string => form.get('redirect_url') ?? ''

/** `POST /developers`. */
export const registerApplication = change('/developers', ({ applications }, form) =>
  applications.register({ name: form.get('name') ?? '', redirectURL: redirectURLIn(form) }),
)

/** `POST /developers/:appID`. */
export const changeURL = change('/developers', ({ applications }, form, appID) =>
  applications.update(appID, { redirectURL: redirectURLIn(form) }),
)

/** `POST /developers/:appID/secret`. */
export const renewSecret = change('/developers', ({ applications }, _form, appID) => applications.renewSecret(appID))

/** `POST /developers/:appID/delete`. */
export const deleteApplication = change('/developers', (state, _form, appID) => state.removeApplication(appID))
