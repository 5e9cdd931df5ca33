import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { textFields } from '../state/users'
import type { FakeUser, FakeUserInput } from '../types'
import {
  change,
  displayNameOf,
  emailOf,
  field,
  guardedButton,
  html,
  type Markup,
  messagePage,
  PRIMARY,
  page,
  portrait,
} from './layout'

function pathOf(user: FakeUser): string {
  return `/users/${encodeURIComponent(user.user_id)}`
}

/** `GET /users`: all users, and a form to add one. */
export function people(_request: ProviderRequest, state: State): Answer {
  const rows = Array.from(
    state.users.values(),
    (user) => html`<li class="person">${portrait(user)}<span><a href="${pathOf(user)}">${displayNameOf(user)}</a>
<small>${user.user_id} · ${emailOf(user)}</small></span></li>`,
  )
  const main = html`<section class="card" aria-labelledby="all"><h2 id="all">All users</h2><ul>${rows}</ul></section>
<section class="card" aria-labelledby="add"><h2 id="add">Add a user</h2>
<p>Empty fields are returned as <code>null</code>; an empty id becomes the next number.</p>
<form method="post" action="/users">
${field('user_id', 'Id', '', html`maxlength="200" autocomplete="off" inputmode="numeric"`)}
${fieldsFor({})}<p>${guardedButton('Add', PRIMARY)}</p></form></section>`
  return page(state, 'Users', main)
}

function fieldsFor(values: FakeUserInput): Markup {
  const inputs = textFields.map((name) => field(name, name, values[name] ?? '', html`autocomplete="off"`))
  const checked = values.user_verified === true && html`checked`
  return html`<div class="columns">${inputs}</div><p>
<input type="checkbox" id="user_verified" name="user_verified" value="yes" ${checked}>
<label for="user_verified">Verified (the profile's badge)</label></p>`
}

/** `GET /users/:userID`: one user's ten fields. */
export function person(_request: ProviderRequest, state: State, userID: string): Answer {
  const user = state.users.get(userID)
  if (user === undefined) return messagePage(state, 404, 'Unknown user', 'There is no user with this id.')
  const main = html`<div class="card"><p>user_id ${userID}</p>
<form method="post" action="${pathOf(user)}">${fieldsFor(user)}
<p>${guardedButton('Save', PRIMARY)}</p>
<details><summary>Remove</summary><p>${displayNameOf(user)} will be gone, with all tokens and approvals.</p>
<p>${guardedButton(`Remove ${displayNameOf(user)}`, html`formaction="${pathOf(user)}/delete"`)}</p></details></form></div>`
  return page(state, displayNameOf(user), main)
}

function inputFrom(form: URLSearchParams): FakeUserInput {
  const text = Object.fromEntries(textFields.map((name) => [name, form.get(name) || null]))
  const userID = form.get('user_id')
  return { ...text, user_verified: form.get('user_verified') === 'yes', ...(userID ? { user_id: userID } : {}) }
}

/** `POST /users`. */
export const addPerson = change('/users', ({ users }, form) => users.add(inputFrom(form)))

/** `POST /users/:userID`. */
export const savePerson = change('/users', ({ users }, form, userID) => users.update(userID, inputFrom(form)))

/** `POST /users/:userID/delete`. */
export const removePerson = change('/users', (state, _form, userID) => state.removeUser(userID))
