import { randomUUID } from 'node:crypto'
import { type Logger, pino } from 'pino'
import { type HttpLogger, pinoHttp } from 'pino-http'
import pretty from 'pino-pretty'
import { loggablePath } from './request-target'

export type { Logger } from 'pino'

// The line of a request says enough, so its properties are left out.
const FOR_A_PERSON = {
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'pid,hostname,req,res,responseTime',
  messageFormat:
    '{if req.method}{req.method} {req.path} {end}{msg}{if res.status}: {res.status} in {responseTime} ms{end}',
  singleLine: true,
}

/**
 * Writes JSON lines to standard output, and readable lines if that is a terminal. If it is closed, because the
 * terminal or the log collector has ended, the application continues without logs. pino's own destination would retry
 * forever.
 */
export function createLogger(): Logger {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const { stdout } = process
  return pino(
    { serializers: { err: errorFields } },
    stdout.isTTY ? pretty({ ...FOR_A_PERSON, destination: stdout }) : stdout,
  )
}

/**
 * Logs one line per request, without the query, which may contain an `auth_key`, and without headers, which contain
 * cookies. pino-http's own serializers would log both.
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

/** Leaves out other properties, because errors of drivers contain statements, values and addresses in them. */
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause === undefined ? undefined : errorFields(error.cause)
  return { type: error.name, code, message: error.message, stack: error.stack, cause }
}
