import type { Database } from './database'

const ANSWER_WITHIN_MS = 1500
const CHECK_EVERY_MS = 1000

/**
 * Whether the database keeps what is written. However often that is asked, there is one check a second, and one at a
 * time: those who ask meanwhile share it. A check that takes too long counts as failed until it has ended.
 */
export class StorageHealth {
  readonly #database: Database
  #check: Promise<Error | undefined> = Promise.resolve(undefined)
  #begun = Number.NEGATIVE_INFINITY
  #isUnderWay = false

  constructor(database: Database) {
    this.#database = database
  }

  /** What is wrong, if anything. */
  async problem(): Promise<Error | undefined> {
    if (!this.#isUnderWay && performance.now() - this.#begun > CHECK_EVERY_MS) this.#begin()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Error>((resolve) => {
      timer = setTimeout(() => resolve(new Error('The database does not answer')), ANSWER_WITHIN_MS)
    })
    return Promise.race([this.#check, late]).finally(() => clearTimeout(timer))
  }

  #begin(): void {
    this.#begun = performance.now()
    this.#isUnderWay = true
    const failure = (error: unknown): Error => (error instanceof Error ? error : new Error('The check failed'))
    this.#check = this.#database
      .checkStorage()
      .then(() => undefined, failure)
      .finally(() => {
        this.#isUnderWay = false
      })
  }
}
