import { type Database, inBatches, number } from './database'

export const SLOTS = 10

// Longer than a callback can take (the strategy's timeout is 10 seconds). The slots of a killed process stay taken for
// this long.
const UNDER_WAY_MS = 15 * 1000
const REJECTED_MS = 10 * 60 * 1000

/** A slot that a callback has taken. */
export interface Slot {
  /** Random. */
  readonly id: string
  /** Whose slot it is: somebody at an address, at one community. */
  readonly visitor: string
  readonly slot: number
}

/** The taken slots of a visitor. */
interface TakenSlots {
  readonly underWay: number
  readonly rejected: number
  /** The time until the next slot of a rejected key is free again. */
  readonly waitMs: number
}

/**
 * Each visitor has ten slots. A callback holds one while it is in progress; the slot of a rejected key stays taken for
 * ten minutes. The primary key (the column `address`, which holds the visitor, and the slot) guarantees the limit across
 * all processes without locks, and taking a slot needs a single statement.
 */
export class CallbackSlots {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes a free slot. Undefined when there is none, or when another process took it first: `taken` tells which. */
  async take(id: string, visitor: string): Promise<Slot | undefined> {
    return this.#take(id, visitor, false)
  }

  async release({ id, visitor, slot }: Slot): Promise<void> {
    const sql = 'delete from callback_slots where address = $1 and slot = $2 and id = $3'
    await this.#database.query(sql, [visitor, slot, id])
  }

  /** Keeps the slot taken because the key was rejected. */
  async reject({ id, visitor, slot }: Slot): Promise<void> {
    const sql = `update callback_slots set rejected = 1, expires_at = ${this.#database.now} + ${REJECTED_MS}
      where address = $1 and slot = $2 and id = $3 returning slot`
    const [kept] = await this.#database.query(sql, [visitor, slot, id])
    // The slot expired during the callback and may belong to another one now.
    if (!kept) await this.#take(id, visitor, true)
  }

  async taken(visitor: string): Promise<TakenSlots> {
    const { now } = this.#database
    const sql = `select count(*) as taken, coalesce(sum(rejected), 0) as rejected,
      coalesce(min(case when rejected = 1 then expires_at end) - ${now}, 0) as wait
      from callback_slots where address = $1 and expires_at > ${now}`
    const [row = {}] = await this.#database.query(sql, [visitor])
    const rejected = number(row, 'rejected')
    return { rejected, underWay: number(row, 'taken') - rejected, waitMs: number(row, 'wait') }
  }

  /** Deletes the slots of old rejections and of callbacks whose process was killed. */
  async deleteExpired(): Promise<void> {
    await inBatches(async (size) => {
      const { now, skipLocked } = this.#database
      const some = `select id from callback_slots where expires_at < ${now} limit ${size} ${skipLocked}`
      const sql = `delete from callback_slots where id in (${some}) and expires_at < ${now} returning id`
      return (await this.#database.query(sql)).length
    })
  }

  // The slot that this id has, when the statement is repeated, or a random free one: if all processes tried the first one,
  // they would conflict. `requireTables`, because the callback spends its key next, and could then not store the login.
  async #take(id: string, visitor: string, isRejected: boolean): Promise<Slot | undefined> {
    const { now, requireTables } = this.#database
    const all = Array.from({ length: SLOTS }, (_, slot) => `select ${slot} as slot`).join(' union all ')
    const lifetime = isRejected ? REJECTED_MS : UNDER_WAY_MS
    const sql = `${requireTables} insert into callback_slots (address, slot, id, rejected, expires_at)
      select cast($1 as text), free.slot, cast($2 as text), ${isRejected ? 1 : 0}, ${now} + ${lifetime}
      from (${all}) as free
      where not exists (select 1 from callback_slots as other
        where other.address = $1 and other.slot = free.slot and other.expires_at > ${now} and other.id <> $2)
      order by exists (select 1 from callback_slots as own
        where own.address = $1 and own.slot = free.slot and own.id = $2) desc, random() limit 1
      on conflict (address, slot) do update set
        id = excluded.id, rejected = excluded.rejected, expires_at = excluded.expires_at
      where callback_slots.expires_at <= ${now} or callback_slots.id = $2
      returning slot`
    const [row] = await this.#database.query(sql, [visitor, id])
    return row && { id, visitor, slot: number(row, 'slot') }
  }
}
