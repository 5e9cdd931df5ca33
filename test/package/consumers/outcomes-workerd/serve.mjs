import { serveWorker } from './worker.mjs'

/** Serves the application in workerd, on a free port of this machine. */
export async function serve() {
  return { ...(await serveWorker('outcomes-worker.mjs')), settings: { OUTCOMES_BY: 'fetch' } }
}
