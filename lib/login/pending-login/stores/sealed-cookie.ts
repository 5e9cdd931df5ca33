import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import {
  MAX_COOKIE_KEYS,
  MAX_COOKIE_LENGTH,
  MAX_COOKIE_NAME_LENGTH,
  MIN_COOKIE_KEY_LENGTH,
  RETENTION_MS,
} from '../../../limits'
import { parseBoolean, refuseUnknown } from '../../../values'
import { cookieValues, setCookie } from '../../request/cookies'
import type { PendingLogin } from '../pending-login'

/**
 * Options of the {@link CookieStore}.
 * @example
 * new CookieStore({ keys: [newKey, oldKey], name: 'my-login' }) // the cookie is called __Host-my-login
 */
export interface CookieStoreOptions {
  /**
   * 1 to 10 random secrets of at least 32 characters or bytes (`openssl rand -base64 32`). The first one seals, and all
   * of them open. To rotate, append a new one, then put it in front, and drop the old one when the logins that it
   * sealed have expired. Never use the app secret: the cookie would confirm a guess of it.
   */
  readonly keys: readonly (string | Uint8Array)[]
  /** Name of the cookie without its prefix: 1 to 64 of the characters A-Z a-z 0-9 _ -. Default `social-login`. */
  readonly name?: string | undefined
  /**
   * Whether the name begins with `__Host-`, by which browsers let no sister subdomain plant the cookie. Default true.
   * False is for hosting that passes only a cookie of another name, such as `__session`; it is `Secure` all the same.
   */
  readonly hostPrefix?: boolean | undefined
  /** Drops `Secure`, and so the prefix, for plain http: a sister subdomain can then plant the cookie. Default false. */
  readonly allowInsecureHTTP?: boolean | undefined
}

const NAME = new RegExp(String.raw`^[\w-]{1,${MAX_COOKIE_NAME_LENGTH}}$`)
const OPTIONS: readonly (keyof CookieStoreOptions)[] = ['keys', 'name', 'hostPrefix', 'allowInsecureHTTP']

const CIPHER = 'aes-256-gcm'
const BYTES = { nonce: 12, tag: 16 } as const

/** A cookie with a sealed pending login: base64url of a random nonce, the record as JSON in AES-256-GCM, and its tag. */
export class SealedCookie {
  readonly #keys: readonly Uint8Array[]
  readonly #sealingKey: Uint8Array
  readonly #name: string
  readonly isSecure: boolean

  constructor(options: CookieStoreOptions) {
    refuseUnknown('CookieStore', options, OPTIONS)
    const { keys, name = 'social-login', hostPrefix = true } = options
    if (typeof name !== 'string' || !NAME.test(name))
      throw new TypeError(`name must have 1 to ${MAX_COOKIE_NAME_LENGTH} of the characters A-Z a-z 0-9 _ -`)
    if (/^__(Host|Secure)-/i.test(name)) throw new TypeError('name must have no prefix: hostPrefix adds it')
    this.isSecure = !parseBoolean(options.allowInsecureHTTP, 'allowInsecureHTTP')
    // Browsers accept the prefix only together with `Secure`.
    const hasPrefix = parseBoolean(hostPrefix, 'hostPrefix') && this.isSecure
    this.#name = `${hasPrefix ? '__Host-' : ''}${name}`
    const [first, ...others] = parseKeys(keys)
    this.#sealingKey = deriveKey(first, this.#name)
    this.#keys = [this.#sealingKey, ...others.map((key) => deriveKey(key, this.#name))]
  }

  /** A value of `Set-Cookie`. */
  seal(record: PendingLogin): string {
    const nonce = randomBytes(BYTES.nonce)
    const cipher = createCipheriv(CIPHER, this.#sealingKey, nonce).setAAD(Buffer.from(this.#name))
    const sealed = [nonce, cipher.update(JSON.stringify(record), 'utf8'), cipher.final(), cipher.getAuthTag()]
    return setCookie(this.#name, Buffer.concat(sealed).toString('base64url'), RETENTION_MS / 1000, this.isSecure)
  }

  /** What the cookie of a `Cookie` header holds; undefined for one that is not sealed by these keys. */
  open(header: string): unknown {
    const [sealed, ...others] = cookieValues(header, this.#name)
    // Of two cookies with this name one was planted, and they cannot be told apart.
    if (sealed === undefined || others.length > 0) return undefined
    if (this.#name.length + 1 + sealed.length > MAX_COOKIE_LENGTH) return undefined
    const bytes = Buffer.from(sealed, 'base64url')
    // Decoders skip characters outside base64url and drop spare bits: only the canonical encoding is accepted.
    if (bytes.length < BYTES.nonce + BYTES.tag || bytes.toString('base64url') !== sealed) return undefined
    for (const key of this.#keys) {
      try {
        return JSON.parse(this.#decrypt(bytes, key))
      } catch {
        // It was tampered with, or sealed with another key, for another cookie, or by other code.
      }
    }
    return undefined
  }

  /** A value of `Set-Cookie` that deletes the cookie. */
  end(): string {
    return setCookie(this.#name, '', 0, this.isSecure)
  }

  isIn(header: string): boolean {
    return cookieValues(header, this.#name).length > 0
  }

  #decrypt(bytes: Buffer, key: Uint8Array): string {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, BYTES.nonce), { authTagLength: BYTES.tag })
    decipher.setAAD(Buffer.from(this.#name)).setAuthTag(bytes.subarray(-BYTES.tag))
    const text = decipher.update(bytes.subarray(BYTES.nonce, -BYTES.tag))
    return Buffer.concat([text, decipher.final()]).toString()
  }
}

function parseKeys(keys: unknown): [string | Uint8Array, ...(string | Uint8Array)[]] {
  const [first, ...others]: unknown[] = Array.isArray(keys) && keys.length <= MAX_COOKIE_KEYS ? keys : []
  if (first === undefined) throw new TypeError(`keys must be an array of 1 to ${MAX_COOKIE_KEYS} secrets`)
  return [parseKey(first), ...others.map(parseKey)]
}

function parseKey(key: unknown): string | Uint8Array {
  const isText = typeof key === 'string' || key instanceof Uint8Array
  if (isText && key.length >= MIN_COOKIE_KEY_LENGTH) return key
  throw new TypeError(
    `keys must hold random secrets of at least ${MIN_COOKIE_KEY_LENGTH} characters or bytes (openssl rand -base64 32 makes one)`,
  )
}

function deriveKey(key: string | Uint8Array, name: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `passport-social-login pending login ${name}`, 32))
}
