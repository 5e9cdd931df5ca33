import { EnvHttpProxyAgent } from 'undici/index.js'
import { oneLookupAtATime, systemLookup } from './address'
import { tlsOptions } from './tls-options'

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
const FLAG = '--use-env-proxy'

/**
 * Sends requests through the proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, but not to hosts in
 * `NO_PROXY`), where Node is told to use them for its own requests: by `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`.
 * @throws TypeError if a variable holds anything but an http(s) URL; never its value, which may hold a password
 */
export function environmentProxy(): EnvHttpProxyAgent | undefined {
  const { env, execArgv } = process
  const isWanted = env['NODE_USE_ENV_PROXY'] === '1' || execArgv.includes(FLAG) || env['NODE_OPTIONS']?.includes(FLAG)
  if (!isWanted || !VARIABLES.some((name) => env[name])) return undefined
  try {
    return newProxyAgent()
  } catch {
    throw new TypeError(
      `${VARIABLES.join(', ')} must be http(s) URLs: NODE_USE_ENV_PROXY asks for the proxies that they name`,
    )
  }
}

/** @throws if a variable holds anything but an http(s) URL */
export function newProxyAgent(): EnvHttpProxyAgent {
  const requestTls = tlsOptions()
  return new EnvHttpProxyAgent({ requestTls, connect: { lookup: oneLookupAtATime(systemLookup), ...requestTls } })
}
