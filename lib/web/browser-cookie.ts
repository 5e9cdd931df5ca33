import type { BrowserStore } from '../login/browser-store'
import type { SealedCookie } from '../login/stores/sealed-cookie'

/** Keeps the pending login in the cookie: read from the request, written to the headers of the response. */
export function browserCookie(cookie: SealedCookie, request: Request, headers: Headers): BrowserStore {
  const end = async (): Promise<void> => headers.set('Set-Cookie', cookie.end())
  return {
    save: async (record) => headers.set('Set-Cookie', await cookie.seal(record)),
    load: () => cookie.open(request.headers.get('cookie') ?? ''),
    consume: end,
    remove: end,
  }
}
