import type { RequestListener } from 'node:http'
import type { RequestHandler } from 'express'

// Not followed by more of a word: our own reasons are called auth_key_rejected and the like.
const KEY_NAME = /auth_key(?!_[a-z])/i
const MAX_DECODINGS = 3

/**
 * Hands an application only requests for a path. The absolute form (`GET http://host/path`), which some proxies send,
 * loses its origin: Express parses it in a way that fails for odd hosts, and Node then prints the whole of it, an
 * `auth_key` included. What names no path (`OPTIONS *`) is refused; so is a fragment or white space, with which it takes
 * the start of a path (`//x#@`) for a host.
 */
export function pathsOnly(app: RequestListener): RequestListener {
  return (req, res) => {
    const path = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '')
    if (!/^\/[^#\s]*$/.test(path)) return void res.writeHead(400, { 'Content-Type': 'text/plain' }).end('Bad Request')
    req.url = path
    app(req, res)
  }
}

/** Whether a request target holds an `auth_key`, however it is encoded, in its query or in its path. */
export function mentionsKey(target: string): boolean {
  let text = target
  for (let round = 0; round < MAX_DECODINGS; round++) {
    text = text.replace(/%([2-7][0-9a-f])/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return KEY_NAME.test(text)
}

/** The path of a request target, fit for a log: of one that mentions a key, only what certainly comes before it. */
export function loggablePath(target: string): string {
  const end = mentionsKey(target) ? /[?#&;=%,]|auth_key|$/i : /[?#]|$/
  return target.slice(0, target.search(end))
}

/**
 * Sends browsers away from addresses that hold a key and are not the callback's, such as `/callback&auth_key=…`: no
 * page may be shown there, and none of the other routes may exchange the key, where nobody counts the rejected ones.
 */
export function strayKeys(callbackPath: string): RequestHandler {
  return (req, res, next) => {
    const isCallback = req.method === 'GET' && req.path === callbackPath
    if (isCallback || !mentionsKey(req.originalUrl)) return next()
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    res.redirect(303, '/login?reason=auth_key_malformed')
  }
}
