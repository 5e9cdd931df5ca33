import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Covering } from './covering'
import { EXCEPTIONS } from './exceptions'
import { inParallel } from './in-parallel'
import { CODES, idOf, mutantsIn } from './mutants'
import { PackageCopy } from './package-copy'
import { cacheFolder, runQuickTests, stateOfTests } from './quick-tests'
import { type Mutant, RULES } from './rules'
import { Runner } from './runner'
import { type Lane, Trials } from './trial'

const HELP = `npm run test:mutation -- [options] [part of a file name ...]

Changes the compiled library in one place after the other, and expects a quick test to fail each time.

Without names: the files of lib/ that differ from main.
  --all          all files
  --since REF    the files that differ from REF
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

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

function changedFiles(): Set<string> {
  const base = values.since || git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main') || 'main'
  const names = git('diff', '--name-only', git('merge-base', base, 'HEAD'), '--', 'lib').split('\n')
  return new Set(names.map((name) => name.replace(/^lib\/|\.ts$/g, '')))
}

function chosenMutants(): Mutant[] {
  const changed = values.all || positionals.length > 0 ? undefined : changedFiles()
  const isNamed = (file: string): boolean => values.all || positionals.some((part) => file.includes(part))
  const [index = 1, count = 1] = values.shard.split('/').map(Number)
  return mutantsIn((file) => changed?.has(file) ?? isNamed(file)).filter((_, at) => at % count === index - 1)
}

/** What noticed each mutant, by its id; `null` if nothing did. */
type Results = Map<string, string | null>

function readResults(file: string, stateOf: (noticed: string | null) => string): Results {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const entries = lines.map((line) => JSON.parse(line) as [id: string, noticed: string | null, state: string])
  return new Map(
    entries.flatMap(([id, noticed, state]) => (state === stateOf(noticed) ? [[id, noticed] as const] : [])),
  )
}

async function run(mutants: readonly Mutant[]): Promise<Results> {
  const cache = cacheFolder()
  const lanes: Lane[] = Array.from({ length: Number(values.workers) }, () => {
    const copy = new PackageCopy()
    return { copy, runner: new Runner(copy.folder) }
  })
  try {
    const runners = lanes.map(({ runner }) => runner)
    const tests = await runQuickTests(runners, cache)
    const trials = new Trials(new Covering(tests, CODES), tests)
    const file = join(cache, 'results.jsonl')
    const stateOf = stateOfTests()
    const results = readResults(file, stateOf)
    const left = mutants.filter((mutant) => !results.has(idOf(mutant)))
    console.log(`${mutants.length} mutants, ${left.length} to be tried`)
    let count = 0
    await inParallel(left, lanes, async (mutant, lane) => {
      const noticed = (await trials.run(mutant, lane)) ?? null
      results.set(idOf(mutant), noticed)
      appendFileSync(file, `${JSON.stringify([idOf(mutant), noticed, stateOf(noticed)])}\n`)
      count += 1
      console.log(`${count}/${left.length} ${noticed === null ? 'SURVIVED' : 'noticed'} ${idOf(mutant)}`)
    })
    return results
  } finally {
    for (const { runner, copy } of lanes) {
      runner.stop()
      copy.remove()
    }
  }
}

/** @returns what is wrong: a survivor that is no exception, and an exception that is no survivor */
function report(mutants: readonly Mutant[], results: Results): string[] {
  const exempt = new Map(EXCEPTIONS.flatMap(({ kind, mutants }) => mutants.map((id) => [id, kind] as const)))
  console.log(`${'rule'.padEnd(12)}mutants  noticed  exempt`)
  for (const rule of RULES) {
    const ids = mutants.filter((mutant) => mutant.rule === rule).map(idOf)
    const survivors = ids.filter((id) => results.get(id) === null)
    const counts = [ids.length, ids.length - survivors.length, survivors.filter((id) => exempt.has(id)).length]
    console.log(rule.padEnd(11) + counts.map((count) => String(count).padStart(8)).join(' '))
  }
  return mutants.map(idOf).flatMap((id) => {
    const isNoticed = results.get(id) !== null
    if (isNoticed !== exempt.has(id)) return []
    return [isNoticed ? `noticed, although it is an exception: ${id}` : `survived: ${id}`]
  })
}

async function main(): Promise<void> {
  if (values.help) return console.log(HELP)
  const start = performance.now()
  const mutants = chosenMutants()
  if (mutants.length === 0) return console.log('No file of lib/ is chosen: see --help.')
  const wrong = report(mutants, await run(mutants))
  for (const line of wrong) console.log(line)
  console.log(`${wrong.length} wrong, ${Math.round((performance.now() - start) / 1000)} seconds`)
  if (wrong.length > 0) process.exitCode = 1
}

void main()
