import type { Request, RequestHandler } from 'express'
import { parse } from 'ipaddr.js'
import { RateLimiterPostgres } from 'rate-limiter-flexible'
import type { Database, Value } from '../storage/database'

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

  /** Sends those away who have had too many. */
  readonly guard: RequestHandler = async (req, res, next) => {
    const state = await this.#limiter.get(addressOf(req))
    if (!state || state.consumedPoints < POINTS) return next()
    res.set('Retry-After', String(Math.ceil(state.msBeforeNext / 1000)))
    res.redirect(303, '/login?reason=too_many_rejected')
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
