import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin, port }) => {
  const respond = createApp(provider, origin)
  // docs/web.md#next-sveltekit-or-no-framework, block 5
  return { port, close: () => server.stop(true) }
}, '/auth?next=/inbox')
