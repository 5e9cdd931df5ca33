import { createHash } from 'node:crypto'
import type { Answer, ProviderRequest } from '../http/request'
import type { State } from '../state/state'
import { displayNameOf, type Handler, html, type Markup, messagePage } from './layout'

/** A colour that belongs to a text. */
function hueOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt16BE() % 360
}

/**
 * A drawing on a gradient that belongs to a name. A page that shows a part of it would crop letters, so it has none.
 */
function drawing(name: string, [width, height]: readonly [number, number], shapes: Markup): Answer {
  const hue = hueOf(name)
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"
preserveAspectRatio="xMidYMid slice">
<linearGradient id="sky" x2="1" y2="1"><stop stop-color="hsl(${hue} 62% 46%)"/>
<stop offset="1" stop-color="hsl(${hue + 50} 66% 30%)"/></linearGradient>
<rect width="100%" height="100%" fill="url(#sky)"/>
<g fill="#fff">${shapes}</g></svg>`
  return {
    status: 200,
    headers: {
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // Applications show these pictures on their own pages.
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: svg.text,
  }
}

const PERSON = html`<circle cx="120" cy="94" r="44"/><path d="M28 240c6-64 44-90 92-90s86 26 92 90z"/>`
const HILLS = html`<path fill-opacity=".14" d="M0 320Q300 120 620 280T1200 200V400H0z"/>
<path fill-opacity=".12" d="M0 380Q360 260 700 340T1200 290V400H0z"/>
<circle cx="930" cy="110" r="56" fill-opacity=".3"/>`
const RING = html`<circle cx="120" cy="120" r="54" fill="none" stroke="#fff" stroke-width="34"/>`

/** `GET /pictures/:userID.svg` and `/covers/:userID.svg`. */
function pictureOf(shapes: Markup, size: readonly [number, number]): Handler {
  return (_request, state, file) => {
    const user = state.users.get(file.replace(/\.svg$/, ''))
    if (user === undefined) return messagePage(state, 404, 'No picture', 'There is no user with this id.')
    return drawing(displayNameOf(user), size, shapes)
  }
}

const SQUARE = [240, 240] as const

export const picture = pictureOf(PERSON, SQUARE)
export const cover = pictureOf(HILLS, [1200, 400])

/** `GET /images/blank.svg`: the placeholder for users without a picture. */
export function blank(): Answer {
  return drawing('?', SQUARE, PERSON)
}

/** `GET /icon.svg`: the provider's logo. */
export function icon(_request: ProviderRequest, state: State): Answer {
  return drawing(state.name, SQUARE, RING)
}
