import { hkdfSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifySetCookie } from 'cookie'
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { SocialLoginError } from '../errors'
import { isObject } from '../json'
import { readBoolean } from '../option-values'
import { MAX_AGE_MS, type PendingLogin, type PendingLoginStore, readPendingLogin } from './record'

/**
 * Options of the {@link CookieStore}.
 *
 * @example
 * new CookieStore({ keys: [newKey, oldKey], name: 'my-login' }) // the cookie is called __Host-my-login
 */
export interface CookieStoreOptions {
  /**
   * Secrets of at least 32 characters or bytes, from a random source (`openssl rand -base64 32`). The first one seals,
   * all of them open. To rotate, in every process before the next step: `[old, new]`, then `[new, old]`, and ten minutes
   * later `[new]`. With `[new, old]` at once, a process that has the old one alone loses logins that began at another.
   * Never the app secret: some providers' secrets can be guessed, and the cookie would tell a guess right from wrong.
   */
  readonly keys: readonly (string | Uint8Array)[]
  /** Name of the cookie, without the `__Host-` prefix. Default `social-login`. */
  readonly name?: string
  /**
   * Drops `Secure` and the `__Host-` prefix, for development on plain http beyond localhost: a sister subdomain can
   * then plant the cookie. Default false.
   */
  readonly allowInsecureHTTP?: boolean
}

// A cookie is refused by browsers beyond 4,096 bytes; a sealed record with the longest returnTo and state has 3,300.
const MAX_COOKIE_LENGTH = 4096
const MIN_KEY_LENGTH = 32

/**
 * Keeps the login in progress in a cookie of its own, sealed with A256GCM (JWE): no session is needed, nothing is
 * stored on the server, and people can sign in under an application session with `SameSite=Strict`, which the browser
 * withholds at the callback. (Whoever is signed in looks signed out there, and gets `user_changed`.) `__Host-` keeps sister subdomains from planting one.
 *
 * A cookie cannot be used up. Within one process a record is accepted once: the process remembers each for 11 minutes, in
 * about 100 bytes. A copy that reaches another process within ten minutes can be used there, too, with another key.
 *
 * The store needs the response. Express puts it at `req.res`; elsewhere put it there before `passport.authenticate()`.
 *
 * @example
 * new Strategy({ ..., store: new CookieStore({ keys: [process.env.LOGIN_COOKIE_KEY] }) }, verify)
 */
export class CookieStore implements PendingLoginStore {
  readonly #keys: readonly Uint8Array[]
  readonly #name: string
  readonly #cookie: RegExp
  readonly #secure: boolean

  /** @throws TypeError when a key is too short or the name is no cookie name */
  constructor(options: CookieStoreOptions) {
    if (!isObject(options)) throw new TypeError('CookieStore needs an options object')
    const { keys, name = 'social-login' } = options
    if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
      throw new TypeError('name must have 1 to 64 of the characters A-Z a-z 0-9 _ -')
    this.#secure = !readBoolean('allowInsecureHTTP', options.allowInsecureHTTP)
    this.#name = this.#secure ? `__Host-${name}` : name
    this.#cookie = new RegExp(`(?:^|;)[ \\t]*${this.#name}=([^;]*)`, 'g')
    this.#keys = readKeys(keys).map((key) => deriveKey(key, this.#name))
  }

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    const response = requireResponse(req, 'start')
    const [key] = this.#keys
    if (!key) throw new TypeError('no key')
    const sealed = await new CompactEncrypt(Buffer.from(JSON.stringify(record)))
      // The header is additional data of the encryption: a record cannot be moved to another context.
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', ctx: record.context })
      .encrypt(key)
    this.#setCookie(response, sealed, MAX_AGE_MS / 1000)
  }

  async load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    const sealed = this.#readCookie(req)
    if (sealed === undefined) return undefined
    for (const key of this.#keys) {
      const record = await open(sealed, key)
      if (record) return record
    }
    return undefined
  }

  async consume(req: IncomingMessage): Promise<void> {
    this.#setCookie(requireResponse(req, 'callback'), '', 0)
  }

  async remove(req: IncomingMessage): Promise<void> {
    this.#setCookie(requireResponse(req, 'callback'), '', 0)
  }

  // Two cookies of one name: somebody planted one beside the browser's own, and nothing tells which. Only the spaces of
  // the header are skipped: a no-break space belongs to the name, so that a cookie that a sister subdomain named
  // "\u00a0__Host-..." is not taken for the one that browsers guard.
  #readCookie(req: IncomingMessage): string | undefined {
    const [own, ...others] = (req.headers.cookie ?? '').matchAll(this.#cookie)
    const [cookie = '', value] = own ?? []
    return others.length > 0 || cookie.length > MAX_COOKIE_LENGTH ? undefined : value
  }

  #setCookie(response: ServerResponse, value: string, maxAge: number): void {
    const line = stringifySetCookie({
      name: this.#name,
      value,
      maxAge,
      path: '/',
      httpOnly: true,
      secure: this.#secure,
      sameSite: 'lax',
    })
    const others = [response.getHeader('set-cookie') ?? []].flat().map(String)
    response.setHeader('Set-Cookie', [...others.filter((other) => !other.startsWith(`${this.#name}=`)), line])
  }
}

function readKeys(keys: unknown): (string | Uint8Array)[] {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > 10) {
    throw new TypeError('keys must be an array of 1 to 10 secrets')
  }
  return keys.map((key: unknown) => {
    const usable = (typeof key === 'string' || key instanceof Uint8Array) && key.length >= MIN_KEY_LENGTH
    if (!usable)
      throw new TypeError(
        'keys must hold random secrets of at least 32 characters or bytes (openssl rand -base64 32 makes one)',
      )
    return key
  })
}

function deriveKey(key: string | Uint8Array, name: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `passport-social-login pending login ${name}`, 32))
}

async function open(sealed: string, key: Uint8Array): Promise<PendingLogin | undefined> {
  if (!isCanonical(sealed)) return undefined
  try {
    const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] }
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, options)
    const record = readPendingLogin(JSON.parse(Buffer.from(plaintext).toString()))
    return record?.context === protectedHeader['ctx'] ? record : undefined
  } catch {
    // Tampered with, of another key, or no sealed record at all: all of it is no record.
    return undefined
  }
}

/** Decoders skip what is no base64url and drop spare bits: of all spellings of a sealed record, one is accepted. */
function isCanonical(sealed: string): boolean {
  return sealed.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function requireResponse(req: IncomingMessage, phase: 'start' | 'callback'): ServerResponse {
  const response: unknown = Reflect.get(req, 'res')
  if (isResponse(response)) return response
  throw new SocialLoginError('session_unavailable', phase, {
    hint: 'CookieStore needs req.res: put the response there before passport.authenticate().',
  })
}

/** What koa-passport puts at `req.res` has no `getHeader`: other cookies of the answer would be lost. */
function isResponse(value: unknown): value is ServerResponse {
  return typeof value === 'object' && value !== null && 'setHeader' in value && 'getHeader' in value
}
