import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../clock'
import { limits } from '../limits'
import { BoundedMap } from './bounded-map'
import type { TokenHolder } from './grants'

const hour = 3_600_000

/** A refusal: when, by the provider's clock, the token's next hour begins. */
export interface Refusal {
  readonly resetAt: number
  readonly secondsLeft: number
  readonly limit: number
}

/** Section 8: so many API requests per hour and token. A token's hours count from its issue, so that no test straddles two. */
export class RateLimit {
  private readonly _limiter: RateLimiterMemory | undefined
  /** When each hour that is counted ends. The limiter itself would keep every token for a real hour, and a timer for each. */
  private readonly _hourEnds = new BoundedMap<number>({
    limit: limits.credentials,
    isExpired: (end) => this._clock.now() >= end,
    onDrop: (key) => this._limiter?.delete(key),
  })

  constructor(
    readonly limit: number,
    private readonly _clock: Clock,
  ) {
    if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw new TypeError('rateLimit must be a whole number of requests per hour from 1, or Infinity')
    }
    if (Number.isFinite(limit)) this._limiter = new RateLimiterMemory({ points: limit, duration: hour / 1000 })
  }

  /** Counts one request. @returns undefined when it is within the limit. */
  async refusalFor(holder: TokenHolder): Promise<Refusal | undefined> {
    const now = this._clock.now()
    const window = Math.floor((now - holder.issuedAt) / hour)
    const resetAt = holder.issuedAt + (window + 1) * hour
    if (this._limiter === undefined) return undefined
    try {
      const key = `${holder.token} ${window}`
      this._hourEnds.set(key, resetAt)
      await this._limiter.consume(key)
      return undefined
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      return { resetAt, secondsLeft: Math.ceil((resetAt - now) / 1000), limit: this.limit }
    }
  }
}
