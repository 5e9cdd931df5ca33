import { randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { type HttpLogger, pinoHttp } from 'pino-http'
import { loggablePath } from './request-target'

export type { Logger } from 'pino'

/**
 * JSON lines on standard output. When nobody reads them any more, because the terminal or the collector has gone, the
 * application goes on without: pino's own destination would write to a closed terminal for ever.
 */
export function createLogger(): Logger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return pino({ serializers: { err: errorFields } }, process.stdout)
}

/**
 * One line for each request. The query is left out, because the callback's holds the `auth_key`, and so are all
 * headers, because they hold cookies: pino-http's own serializers print them both. A key that came in the path, behind a
 * `&` or an encoded `?`, is left out with all that follows.
 */
export function requestLogger(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    wrapSerializers: false,
    serializers: {
      req: (req) => ({ id: req.id, method: req.method, path: loggablePath(String(req.originalUrl ?? req.url)) }),
      res: (res) => ({ status: res.statusCode }),
      err: errorFields,
    },
    customLogLevel: (_req, res, error) => (error || res.err ? 'error' : 'info'),
    autoLogging: { ignore: (req) => req.url === '/healthz' },
    genReqId: (req, res) => {
      const given = req.headers['x-request-id']
      const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
      res.setHeader('X-Request-Id', id)
      return id
    },
  })
}

/** Errors of drivers carry statements, values and addresses in further properties: those stay out. */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = 'code' in error ? error.code : undefined
  return { type: error.name, code, message: error.message, stack: error.stack }
}
