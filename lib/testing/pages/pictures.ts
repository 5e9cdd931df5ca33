import { createHash } from 'node:crypto'
import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { displayNameOf, html, messagePage } from './layout'

/** The first letters of a name on a colour. */
function drawing(name: string): Answer {
  const words = name.split(/\s+/).slice(0, 2)
  const initials = words.map((word) => word.slice(0, 1).toUpperCase()).join('')
  const hue = createHash('sha256').update(name).digest().readUInt16BE() % 360
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120" width="240" height="240">
<rect width="120" height="120" fill="hsl(${hue} 62% 36%)"/>
<text x="60" y="62" fill="#fff" font-family="system-ui, sans-serif" font-size="50" font-weight="600"
text-anchor="middle" dominant-baseline="central">${initials}</text></svg>`
  return {
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // Applications show these pictures on pages of their own.
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: svg.text,
  }
}

/** `GET /pictures/:userID.svg` and `/covers/:userID.svg`. */
export function picture(_request: ProviderRequest, state: State, file: string): Answer {
  const user = state.users.get(file.replace(/\.svg$/, ''))
  if (user === undefined) return messagePage(state, 404, 'No picture', 'There is no person with this id.')
  return drawing(displayNameOf(user))
}

/** `GET /images/blank.svg`: the placeholder for people without a picture. */
export function blank(): Answer {
  return drawing('?')
}

/** `GET /icon.svg`: the provider's logo. */
export function icon(_request: ProviderRequest, state: State): Answer {
  return drawing(state.name)
}
