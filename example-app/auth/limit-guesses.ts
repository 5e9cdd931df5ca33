import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

// Some proxies append the port: 192.0.2.1:5678 and [2001:db8::1]:5678.
const ADDRESS_WITH_PORT = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/

// Many people may share an address and return from the provider at the same time: ten pass at once, the others wait.
const MAX_WAIT_MS = 5000
const RETRY_MS = 20
// Longer than a callback can take: the strategy's timeout is 10 seconds.
const UNDER_WAY_MS = 15_000

/** A callback that may be authenticated now. */
interface Attempt {
  /** Call it with the outcome. Not when the visitor leaves: the provider still checks the key. */
  end(isRejected: boolean): Promise<void>
}

/** Why a callback must not be authenticated: too many keys were rejected, or too many are being checked at this moment. */
interface Refusal {
  readonly reason: 'too_many_rejected' | 'overloaded'
  /** When to try again. */
  readonly seconds: number
}

/**
 * Limits guessing: anybody can send keys to a callback and learn which ones are valid. An address that has had ten keys
 * rejected must wait until ten minutes after the first of them. This file can be copied as it is.
 *
 * Rejections are counted by the limiter, and together by all processes if it is one of a shared database. Callbacks that
 * are under way count, too, each process its own: otherwise a thousand guesses sent at once would all pass before the first
 * rejection is counted.
 *
 * @example
 * const guesses = new GuessLimit(new RateLimiterRedis({ storeClient, points: 10, duration: 600 }), 'first')
 */
export class GuessLimit {
  readonly #limiter: RateLimiterAbstract
  readonly #provider: string
  readonly #underWay = new Map<string, Set<Response>>()

  /**
   * @param provider each has a limit of its own: one that rejects the keys of its people would otherwise keep everybody who
   * shares an address with them from signing in at the others
   */
  constructor(limiter: RateLimiterAbstract, provider: string) {
    this.#limiter = limiter
    this.#provider = provider
  }

  /** Call it before the callback is authenticated. */
  async begin(req: Request, res: Response): Promise<Attempt | Refusal> {
    const key = this.#keyOf(req)
    const deadline = performance.now() + MAX_WAIT_MS
    for (;;) {
      if (this.#countOf(key) < this.#limiter.points) {
        // Counted before the limiter is asked, so that callbacks that arrive together see each other.
        const release = this.#take(key, res)
        const rejected = await this.#limiter.get(key).catch((error: unknown) => {
          release()
          throw error
        })
        const count = rejected?.consumedPoints ?? 0
        if (count + this.#countOf(key) <= this.#limiter.points) return this.#attempt(key, release)
        release()
        if (count >= this.#limiter.points) return { reason: 'too_many_rejected', seconds: secondsUntil(rejected) }
      }
      if (performance.now() > deadline) return { reason: 'overloaded', seconds: 1 }
      await sleep(RETRY_MS * (1 + Math.random()))
    }
  }

  /** The seconds until this visitor may start a login, because it could not be finished earlier. */
  async secondsToWait(req: Request): Promise<number> {
    const rejected = await this.#limiter.get(this.#keyOf(req))
    return rejected && rejected.consumedPoints >= this.#limiter.points ? secondsUntil(rejected) : 0
  }

  #attempt(key: string, release: () => void): Attempt {
    // For a request that was answered without an outcome.
    const limit = setTimeout(release, UNDER_WAY_MS).unref()
    return {
      end: async (isRejected) => {
        clearTimeout(limit)
        try {
          if (isRejected) await this.#limiter.penalty(key)
        } finally {
          release()
        }
      },
    }
  }

  /** @returns a function that gives it back */
  #take(key: string, res: Response): () => void {
    const responses = this.#underWay.get(key) ?? new Set()
    this.#underWay.set(key, responses.add(res))
    return () => {
      responses.delete(res)
      if (responses.size === 0 && this.#underWay.get(key) === responses) this.#underWay.delete(key)
    }
  }

  #countOf(key: string): number {
    const responses = this.#underWay.get(key) ?? new Set()
    // The strategy itself responds to prefetches: they are no guesses.
    for (const res of responses) if (res.writableEnded) responses.delete(res)
    return responses.size
  }

  #keyOf(req: Request): string {
    return `${addressOf(req)} ${this.#provider}`
  }
}

function secondsUntil(rejected: RateLimiterRes | null): number {
  return Math.max(1, Math.ceil((rejected?.msBeforeNext ?? 0) / 1000))
}

/** The address that a visitor is counted by: of an IPv6 address only its network, because a person usually has a whole one. */
function addressOf(req: Request): string {
  // Where the header of a proxy holds no address, the proxy's own address counts.
  const address = [req.ip, req.socket.remoteAddress].map(withoutPort).find((text) => isIP(text) !== 0)
  return address === undefined ? 'unknown' : ipKeyGenerator(address)
}

function withoutPort(address = ''): string {
  const [, v6, v4] = ADDRESS_WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}
