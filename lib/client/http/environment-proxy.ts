import { isLoopback } from '../url-options'

/** The proxy through which an origin is connected to; undefined if it is connected to directly. */
export type ProxyOf = (origin: string) => URL | undefined

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
const FLAG = '--use-env-proxy'

/**
 * The proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, but not for hosts in `NO_PROXY`), where Node is told
 * to use them for its own requests: by `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`.
 * @throws TypeError if a variable holds anything but an http(s) URL; never its value, which may hold a password
 */
export function environmentProxies(): ProxyOf | undefined {
  const { env, execArgv } = process
  const isWanted = env['NODE_USE_ENV_PROXY'] === '1' || execArgv.includes(FLAG) || env['NODE_OPTIONS']?.includes(FLAG)
  if (!isWanted || !VARIABLES.some((name) => env[name])) return undefined
  return readProxies()
}

/** As undici and Node read them: a name in small letters wins, and http's proxy also serves https. @throws TypeError */
export function readProxies(): ProxyOf {
  const { env } = process
  const http = parseProxy(env['http_proxy'] ?? env['HTTP_PROXY'])
  const https = parseProxy(env['https_proxy'] ?? env['HTTPS_PROXY']) ?? http
  const direct = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').toLowerCase().split(/[,\s]+/)
  return (origin) => {
    const { protocol, hostname, port } = new URL(origin)
    const isHTTPS = protocol === 'https:'
    // A proxy would read plain http, which is allowed to this machine only because the secret does not leave it.
    if (!isHTTPS && isLoopback(hostname)) return undefined
    const isDirect = direct.some((entry) => isHostOf(entry, hostname, port || (isHTTPS ? '443' : '80')))
    return isDirect ? undefined : isHTTPS ? https : http
  }
}

function parseProxy(value: string | undefined): URL | undefined {
  if (!value) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url && /^https?:/.test(url.protocol)) return url
  throw new TypeError(
    `${VARIABLES.join(', ')} must be http(s) URLs: NODE_USE_ENV_PROXY asks for the proxies that they name`,
  )
}

/** Whether an entry of `NO_PROXY` (`*`, a host or a domain, perhaps with a port) names a host. */
function isHostOf(entry: string, hostname: string, port: string): boolean {
  if (entry === '' || entry === '*') return entry === '*'
  const [, name = entry, only = port] = /(.+):(\d+)$/.exec(entry) ?? []
  const domain = name.replace(/^\*?\./, '')
  return only === port && (hostname === domain || hostname.endsWith(`.${domain}`))
}
