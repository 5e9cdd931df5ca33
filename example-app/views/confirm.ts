import type { Page } from '../routes/answers'
import type { Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../types'
import { html } from './html'
import { nameOf, personCard } from './person'

/** Between a login that is new to this browser and the session: was it meant? */
export function confirmPage(
  login: Login,
  { id, purpose }: Pick<UnconfirmedLogin, 'id' | 'purpose'>,
  providerOrigin: string,
  notice: string | undefined,
): Page {
  const question =
    purpose === 'link'
      ? html`<p>From then on this login opens your account as well:</p>`
      : html`<p>This login has not been used in this browser before:</p>`
  const consent = purpose === 'link' ? 'Add this login' : `Continue as ${nameOf(login)}`
  return {
    title: purpose === 'link' ? 'Add this login?' : 'Is this you?',
    // Redirects inherit the fragment of the callback's address, which anybody may have written.
    isQuestion: true,
    main: html`<div class="card">${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
${question}
${personCard(login, providerOrigin)}
<form class="guarded" method="post" action="/login/confirm">
<input type="hidden" name="confirmation" value="${id}"><p class="buttons">
<button class="primary" name="decision" value="continue">${consent}</button>
<button name="decision" value="not-me">Not me</button></p></form></div>
<script src="/guard.js"></script>`,
  }
}
