import { randomBytes } from 'node:crypto'
import { parseCookie } from 'cookie'
import { BoundedMap } from './bounded-map'

/** The provider's sessions by browser. Beyond the limit, the least recently used are signed out. */
export class Sessions {
  private readonly _userByID = new BoundedMap<string>()

  constructor(private readonly _provider: { readonly origin: string | undefined }) {}

  /** @returns the Set-Cookie header that signs the browser in. Its previous session ends. */
  signIn(userID: string, cookieHeader: string | undefined): string {
    this._userByID.delete(this._idOf(cookieHeader))
    const id = randomBytes(24).toString('base64url')
    this._userByID.set(id, userID)
    return `${this._cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`
  }

  userIDOf(cookieHeader: string | undefined): string | undefined {
    const id = this._idOf(cookieHeader)
    const userID = this._userByID.get(id)
    if (userID !== undefined) this._userByID.set(id, userID)
    return userID
  }

  /** @returns the Set-Cookie header that removes the cookie. */
  signOut(cookieHeader: string | undefined): string {
    this._userByID.delete(this._idOf(cookieHeader))
    return `${this._cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`
  }

  private _idOf(cookieHeader = ''): string {
    return parseCookie(cookieHeader)[this._cookieName] ?? ''
  }

  /** With the provider's port, because a browser sends its cookies to all ports of a host. */
  private get _cookieName(): string {
    const { origin } = this._provider
    const port = origin === undefined ? '' : new URL(origin).port
    return port === '' ? 'fake_provider_session' : `fake_provider_session_${port}`
  }
}
