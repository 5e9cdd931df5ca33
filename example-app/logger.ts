import { randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { type HttpLogger, pinoHttp } from 'pino-http'

export type { Logger } from 'pino'

/** JSON lines on standard output. */
export function createLogger(): Logger {
  return pino({ serializers: { err: errorFields } })
}

/**
 * One line for each request. The query is left out, because the callback's holds the `auth_key`, and so are all
 * headers, because they hold cookies: pino-http's own serializers print them both.
 */
export function requestLogger(logger: Logger): HttpLogger {
  return pinoHttp({
    logger,
    wrapSerializers: false,
    serializers: {
      req: (req) => ({ id: req.id, method: req.method, path: pathOf(req.originalUrl ?? req.url) }),
      res: (res) => ({ status: res.statusCode }),
      err: errorFields,
    },
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
    autoLogging: { ignore: (req) => req.url === '/healthz' },
    genReqId: (req, res) => {
      const given = req.headers['x-request-id']
      const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
      res.setHeader('X-Request-Id', id)
      return id
    },
  })
}

function pathOf(url: unknown): string {
  return typeof url === 'string' ? (url.split('?', 1)[0] ?? '') : ''
}

/** Errors of drivers carry statements, values and addresses in further properties: those stay out. */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = 'code' in error ? error.code : undefined
  return { type: error.name, code, message: error.message, stack: error.stack }
}
