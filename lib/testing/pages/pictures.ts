import { createHash } from 'node:crypto'
import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { displayNameOf, html, type Markup, messagePage } from './layout'

function svgAnswer(drawing: Markup): Answer {
  return {
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // Applications show these pictures on pages of their own.
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: drawing.text,
  }
}

function hueOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt16BE(6) % 360
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).slice(0, 2)
  return words.map((word) => word.slice(0, 1).toUpperCase()).join('')
}

/** `GET /pictures/:userID.svg` and `/covers/:userID.svg`: initials on a coloured background. */
export function picture(_request: ProviderRequest, state: State, file: string): Answer {
  const user = state.users.get(file.replace(/\.svg$/, ''))
  if (user === undefined) return messagePage(state, 404, 'No picture', 'There is no person with this id.')
  const hue = hueOf(user.user_id)
  return svgAnswer(html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120" width="240" height="240">
<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue} 62% 42%)"/>
<stop offset="1" stop-color="hsl(${(hue + 50) % 360} 62% 32%)"/></linearGradient></defs>
<rect width="120" height="120" fill="url(#g)"/><circle cx="98" cy="20" r="42" fill="#fff" opacity=".09"/>
<text x="60" y="62" fill="#fff" font-family="system-ui, sans-serif" font-size="50" font-weight="600"
text-anchor="middle" dominant-baseline="central">${initialsOf(displayNameOf(user))}</text></svg>`)
}

/** `GET /icon.svg`: the provider's logo. */
export function icon(): Answer {
  return svgAnswer(html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9"
fill="#5145cd"/><circle cx="12" cy="13" r="4.5" fill="#fff"/><circle cx="21.5" cy="14.5" r="3.2" fill="#fff" opacity=".75"/>
<path d="M4.5 25c.6-5 3.7-7 7.5-7s6.9 2 7.5 7z" fill="#fff"/><path d="M20.8 25c-.2-2.5-.9-4.4-2.2-5.800.8-.4 1.800-.7 2.900-.7
3.200 0 5.600 1.800 6 6.500z" fill="#fff" opacity=".75"/></svg>`)
}
