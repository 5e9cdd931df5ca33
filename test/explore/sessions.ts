import type { PendingLogin } from '../../lib'

/** What a session of the application holds; the names are those that `SessionStore` and Passport use. */
export interface SessionData {
  readonly 'passport-social-login'?: PendingLogin
  readonly user?: string
}

/** The sessions of all processes, as a store of express-session keeps them: as text, saved and loaded as a whole. */
export class Sessions {
  readonly #rows = new Map<string, string>()
  #created = 0

  load(id: string | undefined): SessionData | undefined {
    const row = id === undefined ? undefined : this.#rows.get(id)
    return row === undefined ? undefined : JSON.parse(row)
  }

  save(id: string, data: SessionData): void {
    this.#rows.set(id, JSON.stringify(data))
  }

  destroy(id: string | undefined): void {
    if (id !== undefined) this.#rows.delete(id)
  }

  newID(): string {
    this.#created += 1
    return `session ${this.#created}`
  }
}

/** The copy of a session that one request works on. */
export class RequestSession {
  readonly id: string
  /** Whether the browser does not have its cookie yet. */
  readonly isNew: boolean
  isSaved = false
  readonly user?: string
  'passport-social-login'?: PendingLogin
  /** Written by the methods of `SessionStore`: resolves once the store has written. */
  readonly save: (done: (error?: unknown) => void) => void

  constructor(id: string, data: SessionData | undefined, save: (session: RequestSession) => Promise<void>) {
    this.id = id
    this.isNew = data === undefined
    Object.assign(this, data)
    this.save = (done) => void save(this).then(() => done(), done)
  }

  get data(): SessionData {
    const { user, 'passport-social-login': record } = this
    return { ...(user !== undefined && { user }), ...(record && { 'passport-social-login': record }) }
  }
}
