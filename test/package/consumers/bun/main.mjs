import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin, port }) => {
  const respond = createApp(provider, origin)
  // Quoted: bun
  const server = Bun.serve({ port, fetch: respond })
  // end
  return { port, close: () => server.stop(true) }
}, '/auth?next=/inbox')
