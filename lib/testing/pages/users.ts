import { type Answer, type ProviderRequest, redirectTo } from '../http/request'
import type { State } from '../state/state'
import { textFields } from '../state/users'
import type { FakeUser, FakeUserInput } from '../types'
import { afterChange, displayNameOf, field, html, type Markup, messagePage, nameplate, page, portrait } from './layout'

function pathOf(user: FakeUser): string {
  return `/users/${encodeURIComponent(user.user_id)}`
}

/** `GET /users`: all people, and a form to add one. */
export function people(_request: ProviderRequest, state: State): Answer {
  const rows = state.users.all().map(
    (user) => html`<li>${portrait(user)}<span><a href="${pathOf(user)}">${displayNameOf(user)}</a>
<small>${user.user_id} · ${user.user_email ?? 'no e-mail address'}</small></span></li>`,
  )
  const main = html`<section class="card" aria-labelledby="all"><h2 id="all">All people</h2><ul class="rows">${rows}</ul></section>
<section class="card" aria-labelledby="add"><h2 id="add">Add a person</h2>
<p>Empty fields are returned as <code>null</code>; an empty id becomes the next number.</p>
<form method="post" action="/users">
${field('user_id', 'Id', '', html`maxlength="200" autocomplete="off" inputmode="numeric"`)}
${fieldsFor({})}<p><button class="primary">Add</button></p></form></section>`
  return page(state, 'People', main)
}

function fieldsFor(values: FakeUserInput): Markup {
  const inputs = textFields.map((name) => field(name, name, values[name] ?? '', html`autocomplete="off"`))
  const checked = values.user_verified === true && html`checked`
  return html`<div class="columns">${inputs}</div><p class="check">
<input type="checkbox" id="user_verified" name="user_verified" value="yes" ${checked}>
<label for="user_verified">Verified (the profile's badge)</label></p>`
}

/** `GET /users/:userID`: one person's ten fields. */
export function person(_request: ProviderRequest, state: State, userID: string): Answer {
  const user = state.users.get(userID)
  if (user === undefined) return messagePage(state, 404, 'Unknown person', 'There is no person with this id.')
  const main = html`<div class="card">${nameplate(user, `user_id ${user.user_id}`)}
<form method="post" action="${pathOf(user)}">${fieldsFor(user)}
<p class="buttons"><button class="primary">Save</button>
<button class="danger" formaction="${pathOf(user)}/delete">Remove</button></p></form></div>`
  return page(state, displayNameOf(user), main)
}

function inputFrom(form: URLSearchParams): FakeUserInput {
  const text = Object.fromEntries(textFields.map((name) => [name, form.get(name) || null]))
  const userID = form.get('user_id')
  return { ...text, user_verified: form.get('user_verified') === 'yes', ...(userID ? { user_id: userID } : {}) }
}

/** `POST /users`. */
export function addPerson(request: ProviderRequest, state: State): Answer {
  return afterChange(state, '/users', () => state.users.add(inputFrom(request.form)))
}

/** `POST /users/:userID`. */
export function savePerson(request: ProviderRequest, state: State, userID: string): Answer {
  if (state.users.get(userID) === undefined)
    return messagePage(state, 404, 'Unknown person', 'There is no person with this id.')
  return afterChange(state, '/users', () => state.users.update(userID, inputFrom(request.form)))
}

/** `POST /users/:userID/delete`. */
export function removePerson(_request: ProviderRequest, state: State, userID: string): Answer {
  state.grants.forgetUser(userID)
  state.users.remove(userID)
  return redirectTo('/users', 303)
}
