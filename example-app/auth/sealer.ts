import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'

/**
 * Encrypts access tokens for storage with AES-256-GCM. The keys are derived from the session secrets: the first one
 * encrypts and all of them decrypt, so that secrets can be replaced. A token can be decrypted only for the owner it was
 * encrypted for.
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

  /** Undefined when the token was encrypted for another owner, or with a secret that is no longer configured. */
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
