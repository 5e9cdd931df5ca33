import type { buildConnector } from 'undici/index.js'

// By its file: Bun replaces the name `undici` by a stub of its own, which cannot open connections.
export { buildConnector, Client, EnvHttpProxyAgent, errors, Pool } from 'undici/index.js'

/** Opens a connection for undici. */
export type Connect = ReturnType<typeof buildConnector>
