import type { RequestListener } from 'node:http'
import type { RequestHandler } from 'express'

// Does not match the codes of this application, such as auth_key_rejected.
const KEY_NAME = /auth_key(?!_[a-z])/i
const MAX_DECODINGS = 3
// The longest that the strategy reads. Decoding takes about a millisecond for the 15 KB that Node accepts.
const MAX_SEARCHED_LENGTH = 4096

/**
 * Passes on only requests whose target is a path. The origin of an absolute target (`GET http://host/path`), which some
 * proxies send, is removed: Express fails to parse unusual hosts, and Node then prints the whole target with its
 * `auth_key`. Targets without a path (`OPTIONS *`) are refused, and so are those with a fragment or white space, because
 * Express would take the start of a path such as `//x#@` for a host.
 */
export function pathsOnly(app: RequestListener): RequestListener {
  return (req, res) => {
    const path = (req.url ?? '').replace(/^https?:\/\/[^/?#]*/i, '')
    if (!/^\/[^#\s]*$/.test(path)) return void res.writeHead(400, { 'Content-Type': 'text/plain' }).end('Bad Request')
    req.url = path
    app(req, res)
  }
}

/**
 * Whether a request target contains an `auth_key` in its query or path, even if it is percent-encoded several times. One
 * that is too long to be searched counts as one that does.
 */
export function mentionsKey(target: string): boolean {
  if (target.length > MAX_SEARCHED_LENGTH) return true
  let text = target
  for (let round = 0; round < MAX_DECODINGS; round++) {
    text = text.replace(/%([2-7][0-9a-f])/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return KEY_NAME.test(text)
}

/** The path of a request target for the log. If the target contains a key, only the part that is surely before it. */
export function loggablePath(target: string): string {
  const end = mentionsKey(target) ? /[?#&;=%,]|auth_key|$/i : /[?#]|$/
  return target.slice(0, target.search(end))
}

/**
 * Redirects requests with a key in their URL that are not for a callback, such as `/callback&auth_key=…`. No page may
 * be shown at such a URL, and no other route may exchange the key, because only the callbacks limit rejected keys.
 */
export function strayKeys(callbackPaths: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const isCallback = req.method === 'GET' && callbackPaths.includes(req.path)
    if (isCallback || !mentionsKey(req.originalUrl)) return next()
    res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    res.redirect(303, '/login?reason=auth_key_malformed')
  }
}
