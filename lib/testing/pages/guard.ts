import type { ProviderRequest } from '../http/request'
import type { State } from '../state/state'

/** Pages that show or change what belongs to developers; the login itself works under any name a test maps here. */
const guarded = /^\/(developers|users)(\/|$)/

/** A page with secrets, asked for under a name that is not the provider's: DNS rebinding. */
export function isForeignHost({ pathname, headers }: ProviderRequest, state: State): boolean {
  return guarded.test(pathname) && !state.trustsHost(headers.host ?? '')
}

/** A form that another site sent. Every browser says so, in one header or the other; a test without a browser says nothing. */
export function isForeignForm({ headers }: ProviderRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin'
  const { origin, host } = headers
  if (origin === undefined) return false
  return !URL.canParse(origin) || new URL(origin).host !== host
}
