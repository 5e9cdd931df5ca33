import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, RequestHandler } from 'express'
import * as ipaddr from 'ipaddr.js'
import { throughBriefOutage } from '../storage/brief-outage'
import { type CallbackSlots, SLOTS, type Slot } from '../storage/callback-slots'
import { reasonFor } from '../views/messages'
import { HTTPError } from '../web/errors'
import type { Community } from './communities'

// Many people may share an address and return from the provider at the same time: ten pass at once, the others wait.
const MAX_WAIT_MS = 5000
const RETRY_MS = 20
// The database may take longer to answer the one ahead, on a connection that has died.
const MAX_TURN_MS = 1500
// Afterwards a slot is about to expire.
const RELEASE_WITHIN_MS = 10_000
// Some proxies append the port: 192.0.2.1:5678 and [2001:db8::1]:5678.
const ADDRESS_WITH_PORT = /^(?:\[([^\]]*)\](?::\d*)?|([\d.]+):\d*)$/

/** Why a callback must wait: too many keys were rejected, or too many are being checked at this moment. */
interface Wait {
  readonly reason: 'too_many_rejected' | 'overloaded'
  readonly seconds: number
}

/**
 * Limits guessing: anybody can send keys to the callback and learn which ones are valid. An address with ten rejected
 * keys within ten minutes must wait. Successful logins do not count, however many people share an address. The limit is
 * shared by all processes. A valid key that a double click sends to two processes is accepted once and rejected once,
 * which counts as one rejection: telling it from a guess would require storing keys.
 *
 * Each community has a limit of its own: one that rejects the keys of its people, or lets callbacks hang, would otherwise
 * keep everybody who shares an address with them from signing in at the other.
 *
 * A callback takes one of the ten slots of its address before the provider is asked, and holds it until the outcome is
 * known. Otherwise a thousand guesses sent at once would all pass before the first rejection is counted. Further
 * callbacks wait a few seconds for a free slot. In an outage, ten callbacks that hang therefore delay the others from
 * their address at that community.
 */
export class RejectedKeys {
  readonly #slots: CallbackSlots
  readonly #community: Community
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor(slots: CallbackSlots, community: Community) {
    this.#slots = slots
    this.#community = community
  }

  /**
   * Runs the work of a callback if its address is below the limit. The slot stays taken until the work has finished, even
   * if the visitor disconnects: the provider still checks the guessed key.
   */
  async count<T>(req: Request, work: () => Promise<T>, isRejected: (outcome: T) => boolean): Promise<T | Wait> {
    const visitor = this.#visitorOf(req)
    const slot = await this.#inTurn(visitor, (deadline) => this.#takeBefore(deadline, randomUUID(), visitor))
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

  /** Refuses to start a login for an address with too many rejected keys. */
  readonly guardStart: RequestHandler = async (req, res, next) => {
    const { rejected, waitMs } = await this.#slots.taken(this.#visitorOf(req))
    if (rejected < SLOTS) return next()
    res.set('Retry-After', String(Math.ceil(waitMs / 1000)))
    next(new HTTPError(429, reasonFor('too_many_rejected')))
  }

  /** Who is counted: everybody at this address, at this community. */
  #visitorOf(req: Request): string {
    return `${addressOf(req)} ${this.#community.name}`
  }

  /** Runs in the background. If it fails, the slot expires by itself after some seconds. */
  #release(req: Request, slot: Slot): void {
    throughBriefOutage(() => this.#slots.release(slot), RELEASE_WITHIN_MS).catch((error: unknown) =>
      req.log.warn(
        { err: error },
        'the slot of a finished callback could not be released: it stays taken for some seconds',
      ),
    )
  }

  /** Queues the callbacks of a visitor within this process, so that as a rule only the first of them polls the database. */
  async #inTurn<T>(visitor: string, work: (deadline: number) => Promise<T>): Promise<T> {
    const deadline = performance.now() + MAX_WAIT_MS
    const ahead = this.#queues.get(visitor)
    const comesUp = ahead && Promise.race([ahead, sleep(MAX_TURN_MS, undefined, { ref: false })])
    const turn = Promise.resolve(comesUp).then(() => work(deadline))
    const end = turn.catch(() => {})
    this.#queues.set(visitor, end)
    try {
      return await turn
    } finally {
      if (this.#queues.get(visitor) === end) this.#queues.delete(visitor)
    }
  }

  async #takeBefore(deadline: number, id: string, visitor: string): Promise<Slot | Wait> {
    for (;;) {
      // A callback ahead in the queue may have used up the time waiting for the database.
      if (performance.now() > deadline) return { reason: 'overloaded', seconds: 1 }
      const slot = await this.#slots.take(id, visitor)
      if (slot) return slot
      const { rejected, waitMs } = await this.#slots.taken(visitor)
      if (rejected >= SLOTS) return { reason: 'too_many_rejected', seconds: Math.ceil(waitMs / 1000) }
      await sleep(RETRY_MS)
    }
  }
}

/**
 * The address that a visitor is counted by: an IPv4 address in its usual form, or the /64 network of an IPv6 address,
 * because one person usually has a whole /64. If the proxy's header holds no address, the proxy's own address is used.
 */
function addressOf(req: Request): string {
  const address = [req.ip, req.socket.remoteAddress].map(withoutPort).find((text) => ipaddr.isValid(text))
  // The connection has been closed, so the result does not matter.
  if (address === undefined) return 'unknown'
  // A dual-stack server sees IPv4 visitors as ::ffff:192.0.2.1, which would all share one /64.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const bytes = parsed.toByteArray()
  // NAT64 (64:ff9b::/96) maps all IPv4 addresses into one /64.
  return (parsed.range() === 'rfc6052' ? bytes.slice(12) : bytes.slice(0, 8)).join('.')
}

function withoutPort(address = ''): string {
  const [, v6, v4] = ADDRESS_WITH_PORT.exec(address) ?? []
  return v6 ?? v4 ?? address
}
