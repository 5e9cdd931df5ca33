import { request } from 'node:http'
import { type Listening, listen } from '../support/listen'

/**
 * Two proxies in a row, as a balancer and an ingress are: the first passes everything on, the second takes the prefix off.
 * The application sees neither the prefix nor the host that the browser asked.
 */
export async function startStrippingProxy(prefix: string, originOfApp: () => string): Promise<Listening> {
  const ingress = await startProxy(originOfApp, (path) =>
    path.startsWith(prefix) ? path.slice(prefix.length) : undefined,
  )
  const balancer = await startProxy(
    () => ingress.origin,
    (path) => path,
  )
  const stop = async (): Promise<void> => {
    await balancer.stop()
    await ingress.stop()
  }
  return { ...balancer, stop, [Symbol.asyncDispose]: stop }
}

async function startProxy(
  originOfTarget: () => string,
  rewrite: (path: string) => string | undefined,
): Promise<Listening> {
  const listening = await listen()
  listening.server.on('request', (req, res) => {
    const path = rewrite(req.url ?? '')
    if (path === undefined) return void res.writeHead(404).end()
    const target = new URL(originOfTarget())
    const headers = { ...req.headers, host: target.host, 'x-forwarded-host': req.headers.host }
    const passed = request(target, { method: req.method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => res.destroy())
    req.pipe(passed)
  })
  return listening
}
