import type { Clock } from '../clock'
import { limits } from '../limits'
import { BoundedMap } from './bounded-map'
import type { TokenHolder } from './grants'

const HOUR_MS = 3_600_000

/** When, by the provider's clock, the token's next hour begins. */
export interface Refusal {
  readonly resetAt: number
  readonly secondsLeft: number
  readonly limit: number
}

/** Section 8: API requests per hour and token. A token's hours count from its issue, so that no test spans two. */
export class RateLimit {
  /** Each token's requests in the hour that ends at `resetAt`. */
  private readonly _counts = new BoundedMap<{ readonly requests: number; readonly resetAt: number }>({
    limit: limits.credentials,
    isExpired: ({ resetAt }) => this._clock.now() >= resetAt,
  })

  constructor(
    readonly limit: number,
    private readonly _clock: Clock,
  ) {
    if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw new TypeError('rateLimit must be a whole number of requests per hour from 1, or Infinity')
    }
  }

  /** Counts one request. @returns undefined when it is within the limit. */
  refusalFor({ token, issuedAt }: TokenHolder): Refusal | undefined {
    const now = this._clock.now()
    const resetAt = issuedAt + (Math.floor((now - issuedAt) / HOUR_MS) + 1) * HOUR_MS
    const counted = this._counts.get(token)
    const requests = counted?.resetAt === resetAt ? counted.requests + 1 : 1
    this._counts.set(token, { requests, resetAt })
    if (requests <= this.limit) return undefined
    return { resetAt, secondsLeft: Math.ceil((resetAt - now) / 1000), limit: this.limit }
  }
}
