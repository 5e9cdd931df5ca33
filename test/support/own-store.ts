import { randomBytes } from 'node:crypto'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { PendingLogin, PendingLoginStore } from '../../lib'

interface Row {
  readonly text: string
  readonly endsAt: number
}

/** A database that several processes share. Each operation takes a turn of the event loop. */
export class Database {
  isAway = false
  readonly #rows = new Map<string, Row>()
  #now = 0

  async get(key: string): Promise<string | undefined> {
    await this.#answer()
    return this.#find(key)
  }

  async set(key: string, text: string, lifetime = Infinity): Promise<void> {
    await this.#answer()
    this.#rows.set(key, { text, endsAt: this.#now + lifetime })
  }

  /** @returns whether there was no such row */
  async insert(key: string, text: string, lifetime = Infinity): Promise<boolean> {
    await this.#answer()
    if (this.#find(key) !== undefined) return false
    this.#rows.set(key, { text, endsAt: this.#now + lifetime })
    return true
  }

  async delete(key: string): Promise<void> {
    await this.#answer()
    this.#rows.delete(key)
  }

  passTime = async (milliseconds: number): Promise<void> => {
    this.#now += milliseconds
  }

  outage = {
    begin: async (): Promise<void> => {
      this.isAway = true
    },
    end: async (): Promise<void> => {
      this.isAway = false
    },
  }

  #find(key: string): string | undefined {
    const row = this.#rows.get(key)
    return row && row.endsAt > this.#now ? row.text : undefined
  }

  async #answer(): Promise<void> {
    await setImmediate()
    if (this.isAway) throw new Error('the database is away')
  }
}

const LIFETIME = 11 * 60 * 1000

/** A store in a database that keeps the whole contract; tests change one thing about it. */
export class OwnStore implements PendingLoginStore {
  protected lifetime = LIFETIME
  protected usedLifetime = LIFETIME

  constructor(protected readonly database: Database) {}

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    const id = this.newID(req)
    await this.database.set(id, JSON.stringify(record), this.lifetime)
    this.setCookie(req, id)
  }

  async load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    const id = this.idOf(req)
    const text = await this.database.get(id)
    const used = await this.database.get(`used ${id}`)
    if (text === undefined) return undefined
    const record: PendingLogin = JSON.parse(text)
    return used === undefined ? record : { ...record, consumed: true }
  }

  async consume(req: IncomingMessage, _record: PendingLogin): Promise<boolean | void> {
    return this.database.insert(`used ${this.idOf(req)}`, 'yes', this.usedLifetime)
  }

  protected newID(_req: IncomingMessage): string {
    return randomBytes(16).toString('base64url')
  }

  protected idOf(req: IncomingMessage): string {
    return parseCookie(req.headers.cookie ?? '')['login'] ?? 'none'
  }

  protected setCookie(req: IncomingMessage, id: string): void {
    responseOf(req).appendHeader(
      'Set-Cookie',
      stringifySetCookie({ name: 'login', value: id, path: '/', httpOnly: true }),
    )
  }
}

/** The response to a request, as Express sets it. */
export function responseOf(req: IncomingMessage): ServerResponse {
  const response: unknown = Reflect.get(req, 'res')
  if (!(response instanceof ServerResponse)) throw new Error('there is no req.res')
  return response
}
