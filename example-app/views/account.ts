import type { Page } from '../routes/answers'
import type { Login } from '../storage/accounts'
import { html, type Markup } from './html'
import { nameOf, personCard } from './person'

export interface AccountPage {
  readonly logins: readonly Login[]
  readonly provider: string
  readonly providerOrigin: string
  readonly notice: string | undefined
}

export function accountPage({ logins, provider, providerOrigin, notice }: AccountPage): Page {
  return {
    title: 'Your account',
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
<section class="card" aria-labelledby="logins"><h2 id="logins">Logins</h2>
<p>Each of these opens this account.</p>
<ul class="rows">${logins.map((login) => row(login, providerOrigin, logins.length > 1))}</ul>
<form method="post" action="/account/link"><button>Add another login at ${provider}</button></form></section>
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Browsers</h2>
<p>Lost a phone, or used a computer that is not yours?</p>
<form class="guarded" method="post" action="/account/sign-out-everywhere"><button class="danger">Sign out everywhere</button></form></section>
<script src="/guard.js"></script>`,
  }
}

function row(login: Login, providerOrigin: string, isRemovable: boolean): Markup {
  const remove = html`<form class="guarded" method="post" action="/account/unlink">
<button name="login" value="${login.id}" aria-label="Remove ${nameOf(login)}">Remove</button></form>`
  return html`<li>${personCard(login, providerOrigin)}${isRemovable && remove}</li>`
}
