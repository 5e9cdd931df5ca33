import type { FakeUser } from '../types'
import { html, type Markup } from './html'

/** A person's display name. */
export function displayNameOf(user: FakeUser): string {
  const whole = [user.user_firstname, user.user_lastname].filter(Boolean).join(' ')
  return whole || user.user_name || user.user_id
}

/** A person's picture, drawn here even if the record has an external URL: pages load nothing from other sites. */
export function portrait(user: FakeUser): Markup {
  return html`<img src="/pictures/${encodeURIComponent(user.user_id)}.svg" alt="" width="44" height="44">`
}
