import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler } from 'express'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { HTTPError } from '../routes/errors'
import { type Database, number, type Value } from '../storage/database'
import { reasonFor } from '../views/reasons'
import { addressOf } from './visitor-address'

const POINTS = 10
const DURATION_S = 10 * 60
// Longer than the provider is asked for one key (the timeout of the strategy, 10 seconds). A killed process costs the
// addresses of its visitors this long.
const UNDER_WAY_MS = 15 * 1000
// Many people may share an address and come back at once: they pass ten at a time, each after some milliseconds.
const PATIENCE_MS = 5000
const RETRY_MS = 20

/** Why a callback must wait: too many keys were rejected, or too many are with the provider at this moment. */
export interface Wait {
  readonly reason: 'too_many_rejected' | 'overloaded'
  readonly seconds: number
}

/**
 * A callback is an oracle: whoever sends it keys learns which ones are good. So an address that has had ten keys
 * rejected waits. Logins that succeed cost nothing, however many people share an address. All processes count together.
 * A good key that a double click sends to two processes at once is one that the provider accepts once and rejects once:
 * that counts. To tell it from a guess, keys would have to be kept.
 *
 * Each callback counts from before the provider is asked until its outcome is known, for otherwise a thousand guesses
 * sent at once would all pass before the first is counted. Further ones wait for those, a few seconds at most. So ten
 * callbacks of an address that hang in an outage hold up the others of that address, as long as they hang themselves.
 */
export class RejectedKeys {
  readonly #database: Database
  readonly #limiter: RateLimiterPostgres
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(database: Database) {
    this.#database = database
    this.#limiter = new RateLimiterPostgres({
      // Its statements are valid in SQLite too, so that our database can stand in for a Postgres client.
      storeClient: {
        query: async (statement: Statement) => asResult(await database.query(statement.text, statement.values)),
      },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: 'rejected-keys',
      points: POINTS,
      duration: DURATION_S,
    })
  }

  /**
   * Does the work of a callback if its address may have another key tried. It counts until the work has ended, not
   * until the visitor has left: a guess that is with the provider stays one.
   */
  async count<T>(req: Request, work: () => Promise<T>, isRejected: (outcome: T) => boolean): Promise<T | Wait> {
    const address = addressOf(req)
    const id = randomUUID()
    const wait = await this.#inTurn(address, (deadline) => this.#enterBefore(deadline, id, address))
    if (wait) return wait
    try {
      const outcome = await work()
      // Before it ceases to be under way, so that it is counted at every moment.
      if (isRejected(outcome)) await this.#limiter.penalty(address)
      return outcome
    } finally {
      await this.#database.query('delete from callbacks_under_way where id = $1', [id])
    }
  }

  /** Refuses a start to those who have had too many. */
  readonly guardStart: RequestHandler = async (req, res, next) => {
    const state = await this.#limiter.get(addressOf(req))
    if (!state || state.consumedPoints < POINTS) return next()
    res.set('Retry-After', String(Math.ceil(state.msBeforeNext / 1000)))
    next(new HTTPError(429, reasonFor('too_many_rejected')))
  }

  /** First come, first served within this process, so that only one callback of an address asks the database again. */
  async #inTurn<T>(address: string, work: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = Date.now() + PATIENCE_MS
    const ahead = this.#queues.get(address) ?? Promise.resolve()
    const turn = ahead.then(() => work(deadline))
    const end = turn.catch(() => {})
    this.#queues.set(address, end)
    try {
      return await turn
    } finally {
      if (this.#queues.get(address) === end) this.#queues.delete(address)
    }
  }

  async #enterBefore(deadline: number, id: string, address: string): Promise<Wait | undefined> {
    for (;;) {
      const wait = await this.#enter(id, address)
      if (wait?.reason !== 'overloaded' || Date.now() > deadline) return wait
      await sleep(RETRY_MS)
    }
  }

  #enter(id: string, address: string): Promise<Wait | undefined> {
    return this.#database.transaction(async (query) => {
      const now = Date.now()
      // The row is there from now on, and locked: of the callbacks of an address, one counts after the other.
      const lock = `insert into rate_limits (key, points, expire) values ($1, 0, 0)
        on conflict (key) do update set points = rate_limits.points returning points, expire`
      const [row] = await query(lock, [this.#limiter.getKey(address)])
      const expire = row === undefined ? 0 : number(row, 'expire')
      const rejected = row !== undefined && expire > now ? number(row, 'points') : 0
      if (rejected >= POINTS) return { reason: 'too_many_rejected', seconds: Math.ceil((expire - now) / 1000) }
      const active = 'select count(*) as active from callbacks_under_way where address = $1 and expires_at > $2'
      const [underWay] = await query(active, [address, now])
      if (underWay === undefined || rejected + number(underWay, 'active') >= POINTS) {
        return { reason: 'overloaded', seconds: 1 }
      }
      const insert = 'insert into callbacks_under_way (id, address, expires_at) values ($1, $2, $3)'
      await query(insert, [id, address, now + UNDER_WAY_MS])
      return undefined
    })
  }
}

/** Forgets the callbacks of processes that were killed. */
export async function deleteAbandonedCallbacks(database: Database): Promise<void> {
  await database.query('delete from callbacks_under_way where expires_at < $1', [Date.now()])
}

interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

function asResult(rows: readonly object[]) {
  return { rows, rowCount: rows.length }
}
