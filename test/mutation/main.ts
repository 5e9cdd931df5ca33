import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { baseOfChange, changedLines, isIn } from './changed-lines'
import { EXCEPTIONS } from './exceptions'
import { inParallel } from './in-parallel'
import { idOf, mutantsIn } from './mutants'
import { PackageCopy } from './package-copy'
import { cacheFolder, groupsOfTests, runTests } from './quick-tests'
import { Results } from './results'
import { type Mutant, RULES } from './rules'
import { Runner } from './runner'
import { type Lane, Trials } from './trial'

const HELP = `npm run test:mutation -- [options] [part of a file name ...]

Changes the compiled library in one place after the other, and expects a quick test to fail each time.

Without names: the lines of lib/ that differ from main, or if none does, those of the last commit. With names: these files.
Two processors try 20 to 120 mutants a minute.
First the tests with the names of the files are run, for what survives those in their folders, and then all others.
  --all          all files, and the exceptions, which are left out otherwise
  --since REF    the lines that differ from REF
  --shard 1/4    the first of four parts
  --workers N    processes that run tests (default: one for each processor)
A run that was ended goes on where it was, unless the library has changed: then it begins anew. After a change of tests,
only what survived is tried again, and what was noticed by a test that has changed.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    since: { type: 'string', default: '' },
    shard: { type: 'string', default: '1/1' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})

const EXEMPT: ReadonlySet<string> = new Set(EXCEPTIONS.flatMap(({ mutants }) => mutants))

/** Without names, those on the lines of the change. */
function chosenMutants(): Mutant[] {
  const isNamed = (file: string): boolean => values.all || positionals.some((part) => file.includes(part))
  const isChange = !values.all && positionals.length === 0
  const mutants = isChange
    ? mutantsIn(() => true).filter(isIn(changedLines(baseOfChange(values.since))))
    : mutantsIn(isNamed)
  const [index = 1, count = 1] = values.shard.split('/').map(Number)
  return mutants.filter((mutant) => values.all || !EXEMPT.has(idOf(mutant))).filter((_, at) => at % count === index - 1)
}

async function run(mutants: readonly Mutant[]): Promise<Results> {
  const cache = cacheFolder()
  const results = new Results(cache)
  const lanes: Lane[] = Array.from({ length: Number(values.workers) }, () => {
    const copy = new PackageCopy()
    return { copy, runner: new Runner(copy.folder) }
  })
  try {
    let left = mutants.filter((mutant) => results.of(mutant) === undefined)
    console.log(`${mutants.length} mutants, ${left.length} to be tried`)
    const groups = groupsOfTests(values.all ? undefined : new Set(left.map((mutant) => mutant.file)))
    for (const names of groups) {
      if (left.length === 0) break
      const isLast = names === groups.at(-1)
      if (isLast && !values.all)
        console.log(
          'Now all other tests are run, for some minutes. It is quicker to end this, and to add a test with the name of the file.',
        )
      const runners = lanes.map(({ runner }) => runner)
      const tests = await runTests(names, runners, cache)
      left = await tryAll(left, new Trials(tests, { isLast }), lanes, results)
    }
    return results
  } finally {
    for (const { runner, copy } of lanes) {
      runner.stop()
      copy.remove()
    }
  }
}

/** @returns which mutants these tests did not notice */
async function tryAll(mutants: readonly Mutant[], trials: Trials, lanes: Lane[], results: Results): Promise<Mutant[]> {
  const left: Mutant[] = []
  let count = 0
  await inParallel(mutants, lanes, async (mutant, lane) => {
    const noticed = await trials.run(mutant, lane)
    if (noticed === undefined) left.push(mutant)
    if (noticed !== undefined || trials.isLast) results.set(mutant, noticed ?? null)
    count += 1
    const outcome = noticed !== undefined ? 'noticed' : trials.isLast ? 'SURVIVED' : 'not yet noticed'
    console.log(`${count}/${mutants.length} ${outcome} ${idOf(mutant)}`)
  })
  return left
}

/** @returns what is wrong: a survivor that is no exception, and an exception that is no survivor */
function report(mutants: readonly Mutant[], results: Results): string[] {
  console.log(`${'rule'.padEnd(12)}mutants  noticed  exempt`)
  for (const rule of RULES) {
    const ofRule = mutants.filter((mutant) => mutant.rule === rule)
    const survivors = ofRule.filter((mutant) => results.of(mutant) === null)
    const exempt = survivors.filter((mutant) => EXEMPT.has(idOf(mutant)))
    const counts = [ofRule.length, ofRule.length - survivors.length, exempt.length]
    console.log(rule.padEnd(11) + counts.map((count) => String(count).padStart(8)).join(' '))
  }
  return mutants.flatMap((mutant) => {
    const isNoticed = results.of(mutant) !== null
    if (isNoticed !== EXEMPT.has(idOf(mutant))) return []
    return [isNoticed ? `noticed, although it is an exception: ${idOf(mutant)}` : `survived: ${idOf(mutant)}`]
  })
}

async function main(): Promise<void> {
  if (values.help) return console.log(HELP)
  const start = performance.now()
  const mutants = chosenMutants()
  if (mutants.length === 0) return console.log('Nothing of lib/ is chosen: see --help.')
  const wrong = report(mutants, await run(mutants))
  for (const line of wrong) console.log(line)
  console.log(`${wrong.length} wrong, ${Math.round((performance.now() - start) / 1000)} seconds`)
  if (wrong.length > 0) process.exitCode = 1
}

void main()
