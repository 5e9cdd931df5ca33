import type { Login } from '../storage/accounts'
import { html, type Markup } from './html'

/** A picture, or the first letter: the policy of our pages shows pictures of the provider's own origin only. */
export function portrait({ person, subject }: Login, providerOrigin: string): Markup {
  if (isShown(person.picture, providerOrigin)) {
    return html`<img class="portrait" src="${person.picture}" alt="" width="72" height="72" referrerpolicy="no-referrer">`
  }
  return html`<span class="portrait letter" aria-hidden="true">${nameOf({ person, subject }).slice(0, 1)}</span>`
}

export function isShown(picture: string | undefined, providerOrigin: string): picture is string {
  return picture?.startsWith(`${providerOrigin}/`) === true
}

export function nameOf({ person, subject }: Pick<Login, 'person' | 'subject'>): string {
  return person.displayName || `Number ${subject}`
}

/** Who somebody is: with the id, because names and pictures can be copied. */
export function personCard(login: Login, providerOrigin: string): Markup {
  const { person, subject } = login
  return html`<div class="person">${portrait(login, providerOrigin)}<p><strong>${nameOf(login)}</strong>
<span class="faint">${person.email ?? 'no e-mail address'}</span>
<span class="faint">number <code>${subject}</code></span></p></div>`
}
