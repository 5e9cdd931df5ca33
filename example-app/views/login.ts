import type { Page } from '../routes/answers'
import { html } from './html'
import { reasonFor } from './reasons'

export interface LoginPage {
  /** Host of the provider, for people. */
  readonly provider: string
  /** A code of `reasons.ts`. */
  readonly reason: string | undefined
  readonly returnTo: string | undefined
}

export function loginPage({ provider, reason, returnTo }: LoginPage): Page {
  return {
    title: 'Sign in',
    main: html`<div class="card">
${reason !== undefined && html`<p class="notice" role="status">${reasonFor(reason)}</p>`}
<p>You sign in at <strong>${provider}</strong> and come back here. We never see your password.</p>
<form method="post" action="/auth/social-login">
${returnTo !== undefined && html`<input type="hidden" name="returnTo" value="${returnTo}">`}
<button class="primary wide">Continue with ${provider}</button>
</form></div>`,
  }
}
