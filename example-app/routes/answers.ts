import type { Request, Response } from 'express'
import type { Markup } from '../views/html'
import { layout } from '../views/layout'

/** What a view gives: the parts of a page. */
export interface Page {
  readonly title: string
  readonly main: Markup
  /** It asks something: its address gives nothing the focus that would bring the next key nearer to an answer. */
  readonly isQuestion?: boolean
}

export function sendPage(req: Request, res: Response, page: Page): void {
  // Pages differ by who is signed in: neither caches nor the back button after a sign-out may show them.
  res
    .set('Cache-Control', 'no-store')
    .type('html')
    .send(layout(page, req.isAuthenticated?.() === true).text)
}

export function wantsJSON(req: Request): boolean {
  return req.accepts(['html', 'json']) === 'json'
}

/** Resolves when the next request of this browser, to whichever process, finds the session as it is now. */
export function saveSession(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.save((error) => (error ? reject(error) : resolve()))
  })
}

/** A field of a form, or of a query. Text with a zero byte is none: Postgres does not take it, and nothing here means it. */
export function field(fields: unknown, name: string): string | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined
  const value: unknown = Reflect.get(fields, name)
  return typeof value === 'string' && !value.includes('\0') ? value : undefined
}
