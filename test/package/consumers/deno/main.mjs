import { play } from './driver.cjs'
import { createApp } from './web-app.mjs'

await play((provider, { origin, port }) => {
  const respond = createApp(provider, origin)
  // docs/guides/request-response.md#no-framework, block 4
  return { port, close: () => server.shutdown() }
}, '/auth?next=/inbox')
