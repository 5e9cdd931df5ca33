import { hkdfSync } from 'node:crypto'
import { parseBoolean, refuseUnknown } from '../../../client/option-values'
import {
  MAX_COOKIE_KEYS,
  MAX_COOKIE_LENGTH,
  MAX_COOKIE_NAME_LENGTH,
  MIN_COOKIE_KEY_LENGTH,
  RETENTION_MS,
} from '../../../limits'
import { type PendingLogin, parsePendingLogin } from '../pending-login'

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

type Decrypting = typeof import('jose/jwe/compact/decrypt')
type Encrypting = typeof import('jose/jwe/compact/encrypt')

// The first SealedCookie loads these, because that takes milliseconds, and most applications use the session instead.
const decrypting = (): Decrypting => require('jose/jwe/compact/decrypt')
const encrypting = (): Encrypting => require('jose/jwe/compact/encrypt')

/** A cookie with a sealed pending login, as values of `Cookie` and `Set-Cookie` headers. */
export class SealedCookie {
  readonly #keys: readonly Uint8Array[]
  readonly #sealingKey: Uint8Array
  readonly #name: string
  readonly #pattern: RegExp
  readonly isSecure: boolean
  readonly #decrypting: Decrypting = decrypting()
  readonly #encrypting: Encrypting = encrypting()

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
    this.#pattern = new RegExp(`(?:^|;)[ \\t]*${this.#name}=([^;]*)`, 'g')
    const [first, ...others] = parseKeys(keys)
    this.#sealingKey = deriveKey(first, this.#name)
    this.#keys = [this.#sealingKey, ...others.map((key) => deriveKey(key, this.#name))]
  }

  async seal(record: PendingLogin): Promise<string> {
    const sealed = await new this.#encrypting.CompactEncrypt(Buffer.from(JSON.stringify(record)))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(this.#sealingKey)
    return this.#setCookie(sealed, RETENTION_MS / 1000)
  }

  async open(header: string): Promise<PendingLogin | undefined> {
    const sealed = this.#valueIn(header)
    if (sealed === undefined || !isCanonical(sealed)) return undefined
    const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    for (const key of this.#keys) {
      try {
        const { plaintext } = await this.#decrypting.compactDecrypt(sealed, key, options)
        return parsePendingLogin(JSON.parse(Buffer.from(plaintext).toString()))
      } catch {
        // The value was tampered with, was sealed with another key, or is no sealed record at all.
      }
    }
    return undefined
  }

  end(): string {
    return this.#setCookie('', 0)
  }

  isIn(header: string): boolean {
    return header.search(this.#pattern) !== -1
  }

  isSetBy(line: string): boolean {
    return line.startsWith(`${this.#name}=`)
  }

  // Of two cookies with this name one was planted, and they cannot be told apart. Only ASCII spaces are trimmed,
  // because a sister subdomain can set a cookie "\u00a0__Host-...", which browsers do not protect.
  #valueIn(header: string): string | undefined {
    const [own, ...others] = header.matchAll(this.#pattern)
    if (!own || others.length > 0 || own[0].length > MAX_COOKIE_LENGTH) return undefined
    return own[1]
  }

  #setCookie(value: string, maxAge: number): string {
    // No value has a character that would need to be encoded: a JWE is base64url and dots.
    const secure = this.isSecure ? '; Secure' : ''
    return `${this.#name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly${secure}; SameSite=Lax`
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

/** Decoders skip characters outside base64url and drop spare bits: only the canonical encoding is accepted. */
function isCanonical(sealed: string): boolean {
  return sealed.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
