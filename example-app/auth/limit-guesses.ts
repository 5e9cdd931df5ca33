import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

// Some proxies append the port: 192.0.2.1:5678 and [2001:db8::1]:5678.
const ADDRESS_WITH_PORT = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/

// Many visitors may share an address and return from the provider together: ten pass immediately, the others wait.
const MAX_WAIT_MS = 5000
const RETRY_MS = 20
// Each retry looks through all callbacks of its address. No household and no office has this many at the same time.
const MAX_WAITING = 200

/** A callback that may be authenticated now. */
interface Attempt {
  /** Call it with the outcome, not when the visitor leaves: the provider still checks the key. */
  end(isRejected: boolean): Promise<void>
}

/** Too many keys were rejected, or too many are being checked at this moment; and when to try again. */
interface Refusal {
  readonly reason: 'too_many_rejected' | 'overloaded'
  readonly seconds: number
}

/**
 * Limits guessing: anyone can send keys to a callback and learn which ones are valid. An address that has had ten keys
 * rejected must wait until ten minutes after the first of them. This file can be copied as it is.
 *
 * Rejections are counted by the limiter, and together by all processes if it is one of a shared database. Callbacks
 * that are under way count, too, each process its own: otherwise a thousand simultaneous guesses would all pass before
 * the first rejection is counted.
 *
 * @example
 * const guesses = new GuessLimit(new RateLimiterRedis({ storeClient, points: 10, duration: 600 }), 'first')
 */
export class GuessLimit {
  readonly #limiter: RateLimiterAbstract
  readonly #provider: string
  /** By address, in the order of their arrival. */
  readonly #callbacks = new Map<string, Set<Response>>()

  /**
   * @param provider each has its own limit: one that rejects the keys of its users would otherwise keep everyone
   * who shares an address with them from signing in at the others
   */
  constructor(limiter: RateLimiterAbstract, provider: string) {
    this.#limiter = limiter
    this.#provider = provider
  }

  /** Call it before the callback is authenticated. */
  async begin(req: Request, res: Response): Promise<Attempt | Refusal> {
    const key = this.#keyOf(req)
    const { points } = this.#limiter
    const deadline = performance.now() + MAX_WAIT_MS
    // Counted before the limiter is asked, so that callbacks that arrive together see each other.
    this.#callbacks.set(key, (this.#callbacks.get(key) ?? new Set()).add(res))
    res.once('close', () => res.writableEnded && this.#forget(key, res))
    if ((this.#callbacks.get(key)?.size ?? 0) > points + MAX_WAITING) return this.#refuse(key, res, 'overloaded', 1)
    for (;;) {
      // Before the limiter is asked: one that ends in between counts here, or in the limiter's answer, or in both.
      const number = this.#numberOf(key, res)
      if (number <= points) {
        const state = await this.#limiter.get(key)
        const rejected = state?.consumedPoints ?? 0
        if (rejected >= points) return this.#refuse(key, res, 'too_many_rejected', secondsUntil(state))
        if (number + rejected <= points) return { end: (isRejected) => this.#end(key, res, isRejected) }
      }
      if (performance.now() > deadline) return this.#refuse(key, res, 'overloaded', 1)
      await sleep(RETRY_MS)
    }
  }

  /** The seconds until this visitor may start a login, because it could not be finished earlier. */
  async secondsToWait(req: Request): Promise<number> {
    const rejected = await this.#limiter.get(this.#keyOf(req))
    return rejected && rejected.consumedPoints >= this.#limiter.points ? secondsUntil(rejected) : 0
  }

  async #end(key: string, res: Response, isRejected: boolean): Promise<void> {
    if (isRejected) await this.#limiter.penalty(key)
    this.#forget(key, res)
  }

  #refuse(key: string, res: Response, reason: Refusal['reason'], seconds: number): Refusal {
    this.#forget(key, res)
    return { reason, seconds }
  }

  #forget(key: string, res: Response): void {
    const callbacks = this.#callbacks.get(key)
    callbacks?.delete(res)
    if (callbacks?.size === 0) this.#callbacks.delete(key)
  }

  /** The position of a callback among those of its address that are under way. */
  #numberOf(key: string, res: Response): number {
    // Those that have been answered in the meantime are over: the strategy itself responds to prefetches.
    for (const other of this.#callbacks.get(key) ?? []) if (other.writableEnded) this.#forget(key, other)
    return [...(this.#callbacks.get(key) ?? [])].indexOf(res) + 1
  }

  #keyOf(req: Request): string {
    return `${addressOf(req)} ${this.#provider}`
  }
}

function secondsUntil(rejected: RateLimiterRes | null): number {
  return Math.max(1, Math.ceil((rejected?.msBeforeNext ?? 0) / 1000))
}

/** The address that a visitor is counted by: of IPv6 only the network, because a visitor usually has a whole network. */
function addressOf(req: Request): string {
  // If the header of a proxy holds no address, the proxy's own address counts.
  const address = [req.ip, req.socket.remoteAddress].map(withoutPort).find((text) => isIP(text) !== 0)
  return address === undefined ? 'unknown' : ipKeyGenerator(address)
}

function withoutPort(address = ''): string {
  const [, v6, v4] = ADDRESS_WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}
