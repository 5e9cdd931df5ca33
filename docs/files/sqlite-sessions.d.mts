// The types of sqlite-sessions.mjs, which has the comments.

import session from 'express-session'

export class SessionStore extends session.Store {
  constructor(file: string)
  override get(id: string, callback: (error: unknown, data?: session.SessionData | null) => void): void
  override set(id: string, data: session.SessionData, callback?: (error?: unknown) => void): void
  override destroy(id: string, callback?: (error?: unknown) => void): void
  endOthers(userID: string, id: string): void
}
