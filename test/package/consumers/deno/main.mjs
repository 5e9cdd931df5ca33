import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin, port }) => {
  const respond = createApp(provider, origin)
  // Quoted: deno
  const server = Deno.serve({ port, onListen() {} }, respond)
  // end
  return { port, close: () => server.shutdown() }
}, '/auth?next=/inbox')
