import type { BrowserStore } from '../login/browser-store'
import type { SealedCookie } from '../login/stores/sealed-cookie'

/**
 * Keeps the pending login in the cookie.
 *
 * @param cookies those of the request
 * @param headers those of the response
 */
export function browserCookie(cookie: SealedCookie, cookies: string, headers: Headers): BrowserStore {
  const end = async (): Promise<void> => headers.set('Set-Cookie', cookie.end())
  return {
    save: async (record) => headers.set('Set-Cookie', await cookie.seal(record)),
    load: () => cookie.open(cookies),
    consume: end,
    remove: end,
  }
}
