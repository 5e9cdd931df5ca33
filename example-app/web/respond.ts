import { type Request, type Response, Router } from 'express'
import { BACK, ICON, STYLE } from '../views/assets'
import { layout, type Page } from '../views/layout'

export function sendPage(req: Request, res: Response, page: Page): void {
  // Pages depend on who is signed in, so neither caches nor, with `back.js`, the back button after a sign-out show
  // them.
  res.set('Cache-Control', 'no-store').type('html')
  res.send(layout(page, req.isAuthenticated?.() === true).text)
}

export function wantsJSON(req: Request): boolean {
  return req.accepts(['html', 'json']) === 'json'
}

/** A text field of a form or query. A value with a null byte counts as missing, because Postgres cannot store it. */
export function field(fields: unknown, name: string): string | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined
  const value: unknown = Object.entries(fields).find(([key]) => key === name)?.[1]
  return typeof value === 'string' && !value.includes('\0') ? value : undefined
}

/** The stylesheet, script and icon of the pages. Served before the session middleware, so they read no session. */
export function assetRoutes(): Router {
  const router = Router()
  router.get('/style.css', (_req, res) => void res.type('css').set('Cache-Control', 'no-cache').send(STYLE))
  router.get('/back.js', (_req, res) => void res.type('js').set('Cache-Control', 'no-cache').send(BACK))
  router.get('/icon.svg', (_req, res) => void res.type('svg').set('Cache-Control', 'max-age=86400').send(ICON))
  return router
}
