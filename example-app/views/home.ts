import type { Page } from '../routes/answers'
import type { Login } from '../storage/accounts'
import { html } from './html'

export function homePage(login: Login | undefined): Page {
  const main = login
    ? html`<div class="card"><p>You are signed in as <strong>${login.person.displayName || login.subject}</strong>.</p>
<p><a class="button primary" href="/profile">Your profile</a></p></div>`
    : html`<div class="card"><p>Nobody is signed in in this browser.</p>
<p><a class="button primary" href="/login">Sign in</a></p></div>`
  return { title: login ? 'Welcome back' : 'Welcome', main }
}
