import { DurableObject, env } from 'cloudflare:workers'

// RETENTION_MS of docs/limits.md: how long a login is kept.
const LIFETIME_SECONDS = 11 * 60

/** The login in progress of one browser. */
export class LoginInProgress extends DurableObject {
  async save(record) {
    await this.ctx.storage.put('record', record)
    await this.ctx.storage.setAlarm(Date.now() + LIFETIME_SECONDS * 1000)
  }
  load() {
    return this.ctx.storage.get('record')
  }
  async consume(used) {
    const record = await this.load()
    if (record?.id !== used.id || record.consumed) return false
    await this.ctx.storage.put('record', { ...used, consumed: true })
    return true
  }
  alarm() {
    return this.ctx.storage.deleteAll()
  }
}

const started = new WeakMap()
const objectOf = (browser) => env.LOGINS.get(env.LOGINS.idFromName(browser))

function browserOf(request) {
  const cookies = request.headers.get('cookie') ?? ''
  const [own, other] = cookies.matchAll(/(?:^|; )__Host-login=([\w-]{36})(?=;|$)/g)
  // Of two cookies with this name one was planted.
  return other ? undefined : own?.[1]
}

export const store = {
  async save(request, record) {
    // A new name for each login: a cookie that someone has planted or copied before is worth nothing.
    const browser = crypto.randomUUID()
    await objectOf(browser).save(record)
    started.set(request, browser)
  },
  async load(request) {
    const browser = browserOf(request)
    return browser && (await objectOf(browser).load())
  },
  async consume(request, record) {
    const browser = browserOf(request)
    return browser !== undefined && objectOf(browser).consume(record)
  },
}

/** The response to a start, with the cookie of the login that it has begun. */
export function withCookie(request, response) {
  const browser = started.get(request)
  const cookie = `__Host-login=${browser}; Max-Age=${LIFETIME_SECONDS}; Path=/; HttpOnly; Secure; SameSite=Lax`
  if (browser) response.headers.append('Set-Cookie', cookie)
  return response
}
