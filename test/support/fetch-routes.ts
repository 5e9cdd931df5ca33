import type { IncomingMessage } from 'node:http'
import type { Request as ExpressRequest, RequestHandler } from 'express'

/** Serves a function from Request to Response in an Express application. What it throws goes to `next`. */
export function fetchRoute(
  respond: (request: Request, req: ExpressRequest) => Response | Promise<Response>,
): RequestHandler {
  return (req, res, next) => {
    const answer = async (): Promise<void> => {
      const response = await respond(requestOf(req), req)
      res.statusCode = response.status
      for (const [name, value] of response.headers) res.appendHeader(name, value)
      const body = Buffer.from(await response.arrayBuffer())
      res.setHeader('Content-Length', body.length)
      res.end(body)
    }
    answer().catch(next)
  }
}

/** As the servers of frameworks make it, except for the body, which no request of the tests has. */
function requestOf({ headers: { host }, method = 'GET', rawHeaders, url }: IncomingMessage): Request {
  const headers = new Headers()
  for (const [index, value] of rawHeaders.entries()) {
    if (index % 2 === 1) headers.append(rawHeaders[index - 1] ?? '', value)
  }
  return new Request(`http://${host}${url}`, { method, headers })
}
