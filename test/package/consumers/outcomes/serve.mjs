import { respond } from './app.mjs'

/** Serves the application on a free port of this machine. */
export async function serve() {
  if (globalThis.Bun) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: respond })
    return { port: server.port, close: () => server.stop(true) }
  }
  if (globalThis.Deno) {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, respond)
    return { port: server.addr.port, close: () => server.shutdown() }
  }
  const { serve: listen } = await import('@hono/node-server')
  return new Promise((resolve) => {
    const server = listen({ port: 0, hostname: '127.0.0.1', fetch: respond }, ({ port }) => {
      resolve({ port, close: () => server.close() })
    })
  })
}
