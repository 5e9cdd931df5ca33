import type { RequestListener } from 'node:http'

/**
 * Refuses requests whose body comes in chunks. No browser sends one, and each chunk costs a call of every reader: a
 * megabyte in chunks of one byte would take half a second. The connection is closed, so that the rest is not read.
 */
export function withoutChunks(app: RequestListener): RequestListener {
  return (req, res) => {
    if (req.headers['transfer-encoding'] === undefined) return app(req, res)
    res.writeHead(411, { Connection: 'close' }).end()
  }
}
