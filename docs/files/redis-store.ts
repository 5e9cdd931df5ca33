import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { PendingLogin, PendingLoginStore, Request } from 'passport-social-login'
import type { RedisClientType } from 'redis'

// RETENTION_MS of docs/limits.md: how long a login is kept.
const LIFETIME = { type: 'EX', value: 11 * 60 } as const

/** Keeps logins in progress in Redis. A cookie of its own says whose each is, so that it needs no session. */
export class RedisStore implements PendingLoginStore {
  readonly #redis: Pick<RedisClientType, 'set' | 'mGet' | 'del'>
  readonly #cookie: { readonly name: string; readonly secure: boolean }

  /** @param secure false only for development on plain http beyond localhost */
  constructor(redis: Pick<RedisClientType, 'set' | 'mGet' | 'del'>, secure = true) {
    this.#redis = redis
    // Browsers let no other subdomain, and no plain http, set a cookie with this prefix.
    this.#cookie = { name: secure ? '__Host-login' : 'login', secure }
  }

  async save(req: Request, record: PendingLogin): Promise<void> {
    if (!req.res) throw new Error('RedisStore needs the response at req.res')
    // A new one for each login: a cookie that someone has planted or copied before is worth nothing.
    const id = randomBytes(16).toString('base64url')
    await this.#redis.set(keys(id).login, JSON.stringify(record), { expiration: LIFETIME })
    const earlier = this.#idOf(req)
    if (earlier !== undefined) await this.#redis.del(keys(earlier).login)
    const cookie = { ...this.#cookie, value: id, maxAge: LIFETIME.value }
    req.res.appendHeader('Set-Cookie', stringifySetCookie({ ...cookie, path: '/', httpOnly: true, sameSite: 'lax' }))
  }

  async load(req: Request): Promise<PendingLogin | undefined> {
    const id = this.#idOf(req)
    if (id === undefined) return undefined
    const [login, used] = await this.#redis.mGet([keys(id).login, keys(id).used])
    if (typeof login !== 'string') return undefined
    const record: PendingLogin = JSON.parse(login)
    return typeof used === 'string' ? { ...record, consumed: true } : record
  }

  /** Redis runs one command at a time: of all processes, one sets the mark. */
  async consume(req: Request): Promise<boolean> {
    const id = this.#idOf(req)
    if (id === undefined) return false
    return (await this.#redis.set(keys(id).used, 'used', { condition: 'NX', expiration: LIFETIME })) === 'OK'
  }

  #idOf({ headers }: Request): string | undefined {
    const id = parseCookie(headers.cookie ?? '')[this.#cookie.name]
    return id && /^[\w-]{22}$/.test(id) ? id : undefined
  }
}

/** Braces keep both in one slot of a cluster. */
function keys(id: string): { readonly login: string; readonly used: string } {
  return { login: `login:{${id}}`, used: `login-used:{${id}}` }
}
