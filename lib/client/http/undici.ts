// By its file: Bun replaces the name `undici` by a stub of its own, which cannot open connections.
export { buildConnector, Client, EnvHttpProxyAgent, errors, Pool } from 'undici/index.js'
