import type { RequestListener } from 'node:http'

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
