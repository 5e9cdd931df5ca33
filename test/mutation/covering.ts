import type { Mutant } from './rules'
import type { Coverage } from './worker'

/** A file of tests of the quick set, which passes. */
export interface TestFile {
  readonly test: string
  readonly milliseconds: number
  readonly coverage: readonly Coverage[]
}

/** A place in a compiled file of `lib/`, by its name without extension. */
interface Place {
  readonly file: string
  readonly at: number
}

/** The files of tests that run what a mutant changes, or for a constant what uses it. */
export class Covering {
  readonly #tests: readonly TestFile[]
  readonly #codes: ReadonlyMap<string, string>
  readonly #places = new WeakMap<Mutant, readonly Place[]>()

  /** @param codes the compiled files of `lib/`, by their names without extension */
  constructor(tests: readonly TestFile[], codes: ReadonlyMap<string, string>) {
    this.#tests = tests
    this.#codes = codes
  }

  of(mutant: Mutant): TestFile[] {
    const places = this.#placesOf(mutant)
    return this.#tests.filter(
      // Its own tests may use a constant themselves.
      (tests) => this.isOwn(tests, mutant) || places.some(({ file, at }) => isRun(tests.coverage, file, at)),
    )
  }

  /** Whether the file of tests has the name of the file that is changed, or for a constant of one that uses it. */
  isOwn({ test }: TestFile, mutant: Mutant): boolean {
    return [mutant, ...this.#placesOf(mutant)].some(({ file }) => test.startsWith(`unit/${file}.`))
  }

  /** Whether the file of tests is in the folder of the tests of the file that is changed. */
  isNeighbour({ test }: TestFile, { file }: Mutant): boolean {
    return test.startsWith(`unit/${file}`.replace(/[^/]*$/, ''))
  }

  #placesOf(mutant: Mutant): readonly Place[] {
    const known = this.#places.get(mutant)
    if (known) return known
    const isConstant = mutant.where === '' && mutant.rule !== 'hand'
    const places = isConstant ? this.#usesOf(mutant) : [{ file: mutant.file, at: mutant.start }]
    this.#places.set(mutant, places)
    return places
  }

  /** Where the constant is used that holds the mutant, in its own file and in others; where it is, if nothing uses it. */
  #usesOf({ file, start }: Mutant): Place[] {
    const code = this.#codes.get(file) ?? ''
    const line =
      code
        .slice(0, start)
        .split('\n')
        .findLast((text) => /^(const|exports\.)/.test(text)) ?? ''
    const [, name] = /^(?:const |exports\.)(\w+) =/.exec(lineAt(code, start, line)) ?? []
    const own = { file, at: start }
    if (!name) return [own]
    const uses = [...this.#codes].flatMap(([other, text]) => {
      const pattern = other === file ? `(?<!exports\\.|const )\\b${name}\\b` : `_1\\.${name}\\b`
      return Array.from(text.matchAll(new RegExp(pattern, 'g')), ({ index }) => ({ file: other, at: index }))
    })
    return uses.length === 0 ? [own] : uses
  }
}

/** The line that begins the statement in which a place is. */
function lineAt(code: string, start: number, line: string): string {
  const [rest = ''] = code.slice(code.lastIndexOf('\n', start) + 1).split('\n')
  return /^(const|exports\.)/.test(rest) ? rest : line
}

/** Whether it is run by the tests, or by a program that they start. */
function isRun(coverage: readonly Coverage[], file: string, at: number): boolean {
  return coverage.some((one) => one.file === `dist/lib/${file}.js` && isRunIn(one, at))
}

function isRunIn({ ranges }: Coverage, at: number): boolean {
  const around = ranges.filter(([start, end]) => start <= at && at < end)
  const [smallest] = around.sort((a, b) => a[1] - a[0] - (b[1] - b[0]))
  return smallest?.[2] ?? false
}
