import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { idOf } from './mutants'
import { stateOfTests } from './quick-tests'
import type { Mutant } from './rules'

/** What noticed each mutant, kept in a file, so that a run that was ended can go on. */
export class Results {
  readonly #file: string
  readonly #stateOf = stateOfTests()
  readonly #noticed: Map<string, string | null>

  /** @param folder of the cache, for this build of the library */
  constructor(folder: string) {
    this.#file = join(folder, 'results.jsonl')
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n') : []
    const entries = lines.map((line) => JSON.parse(line) as [id: string, noticed: string | null, state: string])
    this.#noticed = new Map(
      entries.flatMap(([id, noticed, state]) => (state === this.#stateOf(noticed) ? [[id, noticed] as const] : [])),
    )
  }

  /** @returns the test that noticed it; `null` if none did; `undefined` if it has not been tried */
  of(mutant: Mutant): string | null | undefined {
    return this.#noticed.get(idOf(mutant))
  }

  set(mutant: Mutant, noticed: string | null): void {
    this.#noticed.set(idOf(mutant), noticed)
    appendFileSync(this.#file, `${JSON.stringify([idOf(mutant), noticed, this.#stateOf(noticed)])}\n`)
  }
}
