import type { Request, RequestHandler, Response } from 'express'
import { parse } from 'ipaddr.js'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import { HTTPError } from '../routes/errors'
import type { Database, Value } from '../storage/database'
import { reasonFor } from '../views/reasons'

const POINTS = 10
const DURATION_S = 10 * 60

/**
 * A callback is an oracle: whoever sends it keys learns which ones are good. So an address that has had ten keys
 * rejected waits. Good logins cost nothing, however many people share an address. All processes count together.
 */
export class RejectedKeys {
  readonly #limiter: RateLimiterPostgres

  constructor(database: Database) {
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

  /** Counts one rejected key against the address of a request. */
  async count(req: Request): Promise<void> {
    await this.#limiter.penalty(addressOf(req))
  }

  /** Refuses a start to those who have had too many. */
  readonly guardStart: RequestHandler = async (req, res, next) => {
    next((await this.#mustWait(req, res)) ? new HTTPError(429, reasonFor('too_many_rejected')) : undefined)
  }

  /** Sends a callback of theirs away before the provider is asked. No page is ever shown at the callback's address. */
  readonly guardCallback: RequestHandler = async (req, res, next) => {
    if (await this.#mustWait(req, res)) return res.redirect(303, '/login?reason=too_many_rejected')
    next()
  }

  async #mustWait(req: Request, res: Response): Promise<boolean> {
    const state = await this.#limiter.get(addressOf(req))
    if (!state || state.consumedPoints < POINTS) return false
    res.set('Retry-After', String(Math.ceil(state.msBeforeNext / 1000)))
    return true
  }
}

interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

function asResult(rows: readonly object[]) {
  return { rows, rowCount: rows.length }
}

/** A person has a whole /64 of IPv6 addresses to choose from. */
function addressOf(req: Request): string {
  const address = parse(req.ip ?? '0.0.0.0')
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}
