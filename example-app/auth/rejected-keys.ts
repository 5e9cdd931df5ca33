import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler } from 'express'
import * as ipaddr from 'ipaddr.js'
import { CallbackSlots, SLOTS, type Slot } from '../storage/callback-slots'
import type { Database } from '../storage/database'
import { reasonFor } from '../views/messages'
import { HTTPError } from '../web/errors'

// Many people may share an address and come back at once: they pass ten at a time, each after some milliseconds.
const MAX_WAIT_MS = 5000
const RETRY_MS = 20
// Some proxies send the port along: 192.0.2.1:5678 and [2001:db8::1]:5678.
const ADDRESS_WITH_PORT = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/

/** Why a callback must wait: too many keys were rejected, or too many are with the provider at this moment. */
interface Wait {
  readonly reason: 'too_many_rejected' | 'overloaded'
  readonly seconds: number
}

/**
 * A callback is an oracle: whoever sends it keys learns which ones are good. So an address that has had ten keys
 * rejected within ten minutes waits. Logins that succeed cost nothing, however many people share an address. All
 * processes count together. A good key that a double click sends to two processes at once is one that the provider
 * accepts once and rejects once: that counts. To tell it from a guess, keys would have to be kept.
 *
 * Each callback counts from before the provider is asked until its outcome is known, for otherwise a thousand guesses
 * sent at once would all pass before the first is counted. Further ones wait for those, a few seconds at most. So ten
 * callbacks of an address that hang in an outage hold up the others of that address, as long as they hang themselves.
 */
export class RejectedKeys {
  readonly #slots: CallbackSlots
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(database: Database) {
    this.#slots = new CallbackSlots(database)
  }

  /**
   * Does the work of a callback if its address may have another key tried. It counts until the work has ended, not
   * until the visitor has left: a guess that is with the provider stays one.
   */
  async count<T>(req: Request, work: () => Promise<T>, isRejected: (outcome: T) => boolean): Promise<T | Wait> {
    const address = addressOf(req)
    const slot = await this.#inTurn(address, (deadline) => this.#takeBefore(deadline, randomUUID(), address))
    if ('seconds' in slot) return slot
    let outcome: T
    try {
      outcome = await work()
    } catch (error) {
      this.#release(req, slot)
      throw error
    }
    if (isRejected(outcome)) await this.#slots.reject(slot)
    else this.#release(req, slot)
    return outcome
  }

  /** Refuses a start to those who have had too many. */
  readonly guardStart: RequestHandler = async (req, res, next) => {
    const { rejected, waitMs } = await this.#slots.taken(addressOf(req))
    if (rejected < SLOTS) return next()
    res.set('Retry-After', String(Math.ceil(waitMs / 1000)))
    next(new HTTPError(429, reasonFor('too_many_rejected')))
  }

  /** Nobody waits for it. If it fails, the slot is free again after some seconds. */
  #release(req: Request, slot: Slot): void {
    this.#slots
      .release(slot)
      .catch((error: unknown) =>
        req.log.warn(
          { err: error },
          'the slot of a finished callback could not be released: it stays taken for some seconds',
        ),
      )
  }

  /** First come, first served within this process, so that only one callback of an address asks the database again. */
  async #inTurn<T>(address: string, work: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + MAX_WAIT_MS
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

  async #takeBefore(deadline: number, id: string, address: string): Promise<Slot | Wait> {
    for (;;) {
      // Whoever was ahead may have waited for a database that does not answer.
      if (performance.now() > deadline) return { reason: 'overloaded', seconds: 1 }
      const slot = await this.#slots.take(id, address)
      if (slot) return slot
      const { rejected, waitMs } = await this.#slots.taken(address)
      if (rejected >= SLOTS) return { reason: 'too_many_rejected', seconds: Math.ceil(waitMs / 1000) }
      await sleep(RETRY_MS)
    }
  }
}

/**
 * What visitors are counted by: an IPv4 address, however it is written, or the first half of an IPv6 address, of which
 * one person has all. Where the header of the proxy holds no address, it is the proxy's own.
 */
function addressOf(req: Request): string {
  const address = [req.ip, req.socket.remoteAddress].map(withoutPort).find((text) => ipaddr.isValid(text))
  // The connection has ended: nobody will read the answer.
  if (address === undefined) return 'unknown'
  // On a listener for both families, IPv4 visitors come as ::ffff:192.0.2.1, all in the same /64.
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

function withoutPort(address = ''): string {
  const [, v6, v4] = ADDRESS_WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}
