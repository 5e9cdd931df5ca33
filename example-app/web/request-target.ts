import type { RequestListener } from 'node:http'
import type { RequestHandler } from 'express'

// It does not match the codes of this application, such as auth_key_rejected.
const KEY_NAME = /auth(_|%5f)key(?!_[a-z])/i

/**
 * Passes on only requests whose target is a path. The origin of an absolute target (`GET http://host/path`), which some
 * proxies send, is removed: Express fails to parse unusual hosts, and Node then prints the whole target with its
 * `auth_key`. Other targets are refused, such as `*`, and `//x#@`, of which Express would take the start for a host.
 */
export function pathsOnly(app: RequestListener): RequestListener {
  return (req, res) => {
    const path = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '')
    if (!/^\/[^#\s]*$/.test(path)) return void res.writeHead(400, { 'Content-Type': 'text/plain' }).end('Bad Request')
    req.url = path
    app(req, res)
  }
}

/** Whether a request target contains an `auth_key` in its query or path. */
export function mentionsKey(target: string): boolean {
  return KEY_NAME.test(target)
}

/** The path of a request target for the log. If the path contains a key, only the part before it. */
export function loggablePath(target: string): string {
  return target.slice(0, target.search(/[?#]|auth(_|%5f)key|$/i))
}

/**
 * Redirects requests with a key in their URL that are not for a callback, such as `/callback&auth_key=…`. No page may
 * be shown at such a URL.
 */
export function strayKeys(callbackPaths: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const isCallback = req.method === 'GET' && callbackPaths.includes(req.path)
    if (isCallback || !mentionsKey(req.originalUrl)) return next()
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    res.redirect(303, '/login?reason=auth_key_malformed')
  }
}
