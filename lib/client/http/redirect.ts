import { resolveLocation } from '../url'

export interface RequestTarget {
  readonly origin: string
  readonly path: string
}

const TO_HTTPS = 'It leads to the same host by https: begin baseURL with https.'
const TO_HTTP =
  'It leads from https to plain http: the provider, or a proxy in front of it, takes the request for plain http.'
const TO_HOST = 'It leads to another host (with www, without, or a new name): baseURL must have that host.'
const TO_SLASH =
  'It leads to the same path with a slash at its end, or without: a rewrite rule of the provider does that, which must leave the API out; no baseURL helps.'
const TO_PATH =
  'It leads to another path on the same host: is that a page, such as a login or a maintenance, or has the API moved?'
const TO_NOTHING = 'It does not say where to.'

/** In what the address of a redirect differs from that of the request, and what helps; never the address itself. */
export function redirectHint({ origin, path }: RequestTarget, location: string | undefined): string {
  const from = new URL(origin + path)
  const to = location ? resolveLocation(location, from) : undefined
  if (!to) return TO_NOTHING
  if (to.hostname !== from.hostname) return TO_HOST
  if (to.protocol !== from.protocol) return to.protocol === 'https:' ? TO_HTTPS : TO_HTTP
  if (to.port !== from.port) return TO_HOST
  if (to.pathname === from.pathname) return TO_NOTHING
  return withoutSlash(to.pathname) === withoutSlash(from.pathname) ? TO_SLASH : TO_PATH
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
