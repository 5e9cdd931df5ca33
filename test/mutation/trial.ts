import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Covering, type TestFile } from './covering'
import { CODES } from './mutants'
import type { PackageCopy } from './package-copy'
import type { Mutant } from './rules'
import type { Runner } from './runner'
import { Vocabulary, wordsIn } from './vocabulary'

/** How many files of tests are run, beside its own: one of the nearest must notice it. */
const MAX_FILES = 40
/** From which one on a file must notice it twice. */
const FAR = 3
const EXPLORATION_MINUTES = 0.25

/** A copy of the package, and a process that runs tests in it. */
export interface Lane {
  readonly copy: PackageCopy
  readonly runner: Runner
}

/** Finds a test that notices a mutant. */
export class Trials {
  /** Whether no others are asked after these: then the exploration is. */
  readonly isLast: boolean
  readonly #covering: Covering
  readonly #vocabulary: Vocabulary
  /** How often a file of tests has noticed something in a file, and in a function of it: it may well do so again. */
  readonly #counts = new Map<string, number>()

  constructor(tests: readonly TestFile[], { isLast }: { readonly isLast: boolean }) {
    this.isLast = isLast
    this.#covering = new Covering(tests, CODES)
    this.#vocabulary = new Vocabulary(tests.map(({ test }) => test))
  }

  /** @returns the file of tests and the title that noticed it */
  async run(mutant: Mutant, { copy, runner }: Lane): Promise<string | undefined> {
    return copy.with(mutant, async () => {
      for (const [before, { test }] of this.#nearest(mutant).entries()) {
        const run = () => runner.run({ test: `dist/test/${test}`, hasCoverage: false })
        const { failed } = await run()
        if (failed === undefined) continue
        // Where several nearer ones have noticed nothing, it may have failed for another reason, such as a busy machine.
        if (before >= FAR && (await run()).failed === undefined) continue
        for (const key of keysOf(mutant, test)) this.#counts.set(key, this.#countOf(key) + 1)
        return `${test}: ${failed}`
      }
      return this.isLast && mutant.file.startsWith('login/') ? explore(copy.folder) : undefined
    })
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #nearest(mutant: Mutant): TestFile[] {
    const ordered = this.#ordered(mutant)
    // Its own may be slow.
    return ordered.filter((file, at) => at < MAX_FILES || this.#covering.isOwn(file, mutant))
  }

  /** First those that speak of it, are quick, run little else, or have noticed something near it. */
  #ordered(mutant: Mutant): TestFile[] {
    const words = wordsIn(`${mutant.where} ${mutant.text}`)
    const rank = (file: TestFile): number => {
      const [ofFile = 0, ofFunction = 0] = keysOf(mutant, file.test).map((key) => this.#countOf(key))
      const own = this.#covering.isOwn(file, mutant) ? 30 : this.#covering.isNeighbour(file, mutant) ? 10 : 0
      const nearness = 1 + ofFile + 5 * ofFunction + own + 20 * this.#vocabulary.rarityOf(file.test, words)
      return (file.milliseconds * breadthOf(file)) / nearness
    }
    const ranked = this.#covering.of(mutant).map((file) => ({ file, rank: rank(file) }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ file }) => file)
  }
}

/** How much of the library a file of tests runs. */
function breadthOf({ coverage }: TestFile): number {
  return coverage.reduce((sum, { ranges }) => sum + ranges.filter(([, , isRun]) => isRun).length, 0)
}

const keysOf = ({ file, where }: Mutant, test: string): string[] => [`${file} ${test}`, `${file} ${where} ${test}`]

/** Asks the exploration of `test/explore`, which does not need to know of mutants. */
function explore(folder: string): Promise<string | undefined> {
  const args = [join(folder, 'dist/test/explore/main.js'), '--until-defect', `--minutes=${EXPLORATION_MINUTES}`]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0 ? undefined : 'the exploration')))
}
