import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names in some code. */
export const wordsIn = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z]\w{4,}/g))

/** Which names the files of tests use. */
export class Vocabulary {
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>
  readonly #counts = new Map<string, number>()

  /** @param tests in `dist/test/` */
  constructor(tests: readonly string[]) {
    this.#words = new Map(
      tests.map((test) => [test, wordsIn(readFileSync(join(__dirname, '..', test), 'utf8'))] as const),
    )
    for (const words of this.#words.values())
      for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
  }

  /** How many of these names a file of tests uses: one that it alone uses is 1, one that ten others use a tenth. */
  rarityOf(test: string, names: ReadonlySet<string>): number {
    const used = [...names].filter((name) => this.#words.get(test)?.has(name))
    return used.reduce((sum, name) => sum + 1 / (this.#counts.get(name) ?? 1), 0)
  }
}
