import { type SessionData, Store } from 'express-session'

/** The store operations of a session middleware. */
export type StoreOperation = 'get' | 'set' | 'destroy'

/** A session store in memory. Each operation first awaits `before` and fails if that rejects. */
export class HookedStore extends Store {
  /** Runs before each operation. Default: nothing. */
  before: ((operation: StoreOperation, sid: string) => Promise<void>) | undefined
  private readonly _sessions = new Map<string, string>()

  override get(sid: string, callback: (error: unknown, session?: SessionData | null) => void): void {
    this._after('get', sid, callback, () => {
      const text = this._sessions.get(sid)
      callback(null, text === undefined ? null : JSON.parse(text))
    })
  }

  override set(sid: string, session: SessionData, callback?: (error?: unknown) => void): void {
    const text = JSON.stringify(session)
    this._after('set', sid, callback, () => {
      this._sessions.set(sid, text)
      callback?.()
    })
  }

  override destroy(sid: string, callback?: (error?: unknown) => void): void {
    this._after('destroy', sid, callback, () => {
      this._sessions.delete(sid)
      callback?.()
    })
  }

  /** Everything in the store, as text. */
  contents(): string {
    return [...this._sessions.values()].join('\n')
  }

  override clear(): void {
    this._sessions.clear()
  }

  private _after(
    operation: StoreOperation,
    sid: string,
    fail: ((error: unknown) => void) | undefined,
    work: () => void,
  ): void {
    if (!this.before) return work()
    this.before(operation, sid).then(work, (error) => fail?.(error))
  }
}
