import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'

/**
 * Keeps access tokens unreadable at rest: AES-256-GCM, with keys derived from the session secrets. A token is sealed
 * for one owner and opens for no other. The first secret seals, all of them open: that is how secrets are changed.
 */
export class Sealer {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]]

  constructor([first, ...others]: readonly [string, ...string[]]) {
    this.#keys = [deriveKey(first), ...others.map(deriveKey)]
  }

  seal(token: string, owner: string): Promise<string> {
    const jwt = new EncryptJWT({ token }).setSubject(owner)
    return jwt.setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(this.#keys[0])
  }

  /** The token, or undefined when it was sealed for another owner or with a secret that has been given up. */
  async open(sealed: string, owner: string): Promise<string | undefined> {
    for (const key of this.#keys) {
      const opened = await jwtDecrypt(sealed, key, { subject: owner }).catch(() => undefined)
      const token = opened?.payload['token']
      if (typeof token === 'string') return token
    }
    return undefined
  }
}

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'passport-social-login example: access tokens', 32))
}
