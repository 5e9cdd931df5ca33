import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin, port }) => {
  const respond = createApp(provider, origin)
  // docs/web.md#next-sveltekit-or-no-framework, block 6
  return { port, close: () => server.shutdown() }
}, '/auth?next=/inbox')
