import type { Login } from '../storage/accounts'
import { html, type Markup } from './html'

const MAX_NAME_LENGTH = 32
// More of them than any script needs would cover the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

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

/** Short: what does not fit is no name, but may look like an address and a number of somebody else. */
export function nameOf({ person, subject }: Pick<Login, 'person' | 'subject'>): string {
  const name = person.displayName.replace(STACKED_MARKS, '$1')
  const letters = Array.from(name)
  const short = letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH).join('').trim()}…` : name
  return short || `Number ${subject}`
}

/** Who somebody is: with the id, because names and pictures can be copied. */
export function personCard(login: Login, providerOrigin: string): Markup {
  const { person, subject } = login
  return html`<div class="person">${portrait(login, providerOrigin)}<p><strong>${nameOf(login)}</strong>
<span class="faint">${person.email ?? 'no e-mail address'}</span>
<span>number <code>${subject}</code></span></p></div>`
}
