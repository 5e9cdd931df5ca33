import { randomBytes } from 'node:crypto'

const cookieName = 'fake_provider_session'

/** Who is signed in at the provider, browser by browser. */
export class Sessions {
  private readonly _userByID = new Map<string, string>()

  /** @returns the Set-Cookie header that signs the browser in. */
  signIn(userID: string): string {
    const id = randomBytes(24).toString('base64url')
    this._userByID.set(id, userID)
    return `${cookieName}=${id}; Path=/; HttpOnly; SameSite=Lax`
  }

  userIDOf(cookieHeader: string | undefined): string | undefined {
    const id = this._idOf(cookieHeader)
    return id === undefined ? undefined : this._userByID.get(id)
  }

  /** @returns the Set-Cookie header that removes the cookie. */
  signOut(cookieHeader: string | undefined): string {
    const id = this._idOf(cookieHeader)
    if (id !== undefined) this._userByID.delete(id)
    return `${cookieName}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`
  }

  private _idOf(cookieHeader = ''): string | undefined {
    const pairs = cookieHeader.split(';').map((pair) => pair.trim())
    return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
  }
}
