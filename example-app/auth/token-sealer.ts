import { hkdfSync } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { Login } from '../storage/accounts'

const PURPOSE = 'access tokens'

/** Whose token it is. The ids of two communities are those of different users. */
type Owner = Pick<Login, 'provider' | 'subject'>

/**
 * Encrypts access tokens for storage with AES-256-GCM. The keys are derived from the session secrets: the first one
 * encrypts and all of them decrypt, so that secrets can be replaced. A token can be decrypted only for the owner it was
 * encrypted for.
 */
export class TokenSealer {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]]

  constructor([first, ...others]: readonly [string, ...string[]]) {
    this.#keys = [deriveKey(first, PURPOSE), ...others.map((secret) => deriveKey(secret, PURPOSE))]
  }

  seal(token: string, owner: Owner): Promise<string> {
    const jwt = new EncryptJWT({ token }).setSubject(subjectOf(owner))
    return jwt.setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(this.#keys[0])
  }

  /** Undefined when the token was encrypted for another owner, or with a secret that is no longer configured. */
  async open(sealed: string, owner: Owner): Promise<string | undefined> {
    for (const key of this.#keys) {
      const opened = await jwtDecrypt(sealed, key, { subject: subjectOf(owner) }).catch(() => undefined)
      const token = opened?.payload['token']
      if (typeof token === 'string') return token
    }
    return undefined
  }
}

function subjectOf({ provider, subject }: Owner): string {
  return JSON.stringify([provider, subject])
}

/** Each purpose has its own key. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `passport-social-login example: ${purpose}`, 32))
}
