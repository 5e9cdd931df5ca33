import { randomBytes } from 'node:crypto'
import { limits } from '../limits'
import { BoundedMap } from './bounded-map'

/** The provider's sessions by browser. Beyond the limit, the least recently used are signed out. */
export class Sessions {
  private readonly _userByID = new BoundedMap<string>({ limit: limits.sessions })

  /** @param origin the provider's, whose port is part of the cookie's name: a browser sends cookies to all ports of a host */
  constructor(private readonly _origin: () => string | undefined) {}

  /** @returns the Set-Cookie header that signs the browser in. Its previous session ends. */
  signIn(userID: string, cookieHeader: string | undefined): string {
    this._end(cookieHeader)
    const id = randomBytes(24).toString('base64url')
    this._userByID.set(id, userID)
    return `${this._cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`
  }

  userIDOf(cookieHeader: string | undefined): string | undefined {
    const id = this._idOf(cookieHeader)
    const userID = id === undefined ? undefined : this._userByID.get(id)
    if (id !== undefined && userID !== undefined) this._userByID.set(id, userID)
    return userID
  }

  /** @returns the Set-Cookie header that removes the cookie. */
  signOut(cookieHeader: string | undefined): string {
    this._end(cookieHeader)
    return `${this._cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`
  }

  private _end(cookieHeader: string | undefined): void {
    const id = this._idOf(cookieHeader)
    if (id !== undefined) this._userByID.delete(id)
  }

  private _idOf(cookieHeader = ''): string | undefined {
    const prefix = `${this._cookieName}=`
    const pairs = cookieHeader.split(';').map((pair) => pair.trim())
    return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
  }

  private get _cookieName(): string {
    const origin = this._origin()
    const port = origin === undefined ? '' : new URL(origin).port
    return port === '' ? 'fake_provider_session' : `fake_provider_session_${port}`
  }
}
