import { MemoryStore } from 'express-session'

type Operation = 'get' | 'set' | 'destroy' | 'regenerate'
/** Contained in the errors of a broken store. */
export const STORE_CANARY = 'store-canary-1f77'

/** A memory store that first runs `before`. */
export class BrokenStore extends MemoryStore {
  before: (operation: Operation) => Promise<void> = () => Promise.resolve()
  override get(...[sid, callback]: Parameters<MemoryStore['get']>): void {
    this.before('get').then(() => super.get(sid, callback), callback)
  }
  override set(...[sid, session, callback]: Parameters<MemoryStore['set']>): void {
    this.before('set').then(() => super.set(sid, session, callback), callback)
  }
  override destroy(...[sid, callback]: Parameters<MemoryStore['destroy']>): void {
    this.before('destroy').then(() => super.destroy(sid, callback), callback)
  }
  override regenerate(...[req, callback]: Parameters<MemoryStore['regenerate']>): void {
    this.before('regenerate').then(() => super.regenerate(req, callback), callback)
  }
  fail(failing: Operation): void {
    this.before = (operation) =>
      operation === failing ? Promise.reject(new Error(`redis://user:${STORE_CANARY}@db is down`)) : Promise.resolve()
  }
  mend(): void {
    this.before = () => Promise.resolve()
  }
}
