import type { IncomingHttpHeaders } from 'node:http'

/** When to try again, as the headers of a response tell. */
export interface Wait {
  /** Seconds, 0 to 86,400, where known. */
  readonly retryAfter?: number
}

const MAX_SECONDS = 86_400

/** The time in `Retry-After`. */
export function readRetryAfter(headers: IncomingHttpHeaders): Wait {
  return waitOf(secondsIn(headers['retry-after']))
}

/** The time in the headers of a rate limit: `Retry-After`, or else `X-RateLimit-Reset`. */
export function readRateLimit(headers: IncomingHttpHeaders): Wait {
  return waitOf(secondsIn(headers['retry-after']) ?? secondsUntil(headers['x-ratelimit-reset']))
}

/**
 * What makes a refusal with another status than 429 one of the rate limit: nothing is left of the quota, or the client
 * is to wait, which helps neither a wrong key nor a wrong token. (A success may carry the same headers.)
 */
export function readExhaustedLimit(headers: IncomingHttpHeaders): Wait | undefined {
  const mustWait = (secondsIn(headers['retry-after']) ?? 0) > 0
  const isExhausted = headers['x-ratelimit-remaining'] === '0' || mustWait
  return isExhausted ? readRateLimit(headers) : undefined
}

function waitOf(seconds: number | undefined): Wait {
  return seconds === undefined ? {} : { retryAfter: Math.min(Math.max(0, seconds), MAX_SECONDS) }
}

function secondsIn(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d+$|GMT$/.test(value)) return undefined
  const seconds = value.endsWith('GMT') ? Math.ceil((Date.parse(value) - Date.now()) / 1000) : Number(value)
  return Number.isNaN(seconds) ? undefined : seconds
}

/** Ten digits are a point in time, in seconds since 1970. The unit of shorter numbers differs between servers. */
function secondsUntil(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^[1-9]\d{9}$/.test(value)) return undefined
  return Math.ceil(Number(value) - Date.now() / 1000)
}
