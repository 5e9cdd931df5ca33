import { parseArgs } from 'node:util'
import { OUTCOMES } from '../../lib'
import { CONFIGURATIONS } from './configuration'
import { EXCEPTIONS } from './judge'
import { exploreAll, Worker } from './pool'
import type { Result } from './worker'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    configuration: { type: 'string', default: '' },
    'until-defect': { type: 'boolean', default: false },
  },
})

/** Outcomes that no event of these worlds can cause: of many providers, and of the adapters. */
const ELSEWHERE = [
  'provider_unknown',
  'provider_invalid',
  'provider_lookup_timeout',
  'verify_timeout',
  'start_forbidden',
]

const names = CONFIGURATIONS.map(({ name }) => name).filter((name) => name.includes(values.configuration))
const milliseconds = Number(values.minutes) * 60_000

async function exploreWorlds(): Promise<void> {
  const results: Result[] = []
  console.log('states  transitions  depth  seconds  world')
  await exploreAll(__dirname, names, milliseconds, (result) => {
    results.push(result)
    console.log(lineOf(result))
    if (result.defect) console.log(`\n${result.defect.report}\n`)
    return !(values['until-defect'] && result.defect)
  })
  const isWhole = values.configuration === '' && !values['until-defect']
  printSum(results)
  printExceptions(results)
  const missing = isWhole ? [...missingOutcomes(results), ...(await missingLines(results))] : []
  for (const one of missing) console.log(`not reached: ${one}`)
  if (missing.length > 0 || results.some(({ defect }) => defect)) process.exitCode = 1
}

function lineOf({ name, states, transitions, completeDepth, isComplete, milliseconds }: Result): string {
  const depth = isComplete ? `${completeDepth}, all` : `${completeDepth}`
  const seconds = (milliseconds / 1000).toFixed(1)
  return [
    String(states).padStart(6),
    String(transitions).padStart(12),
    depth.padStart(8),
    seconds.padStart(7),
    ` ${name}`,
  ].join(' ')
}

function printSum(results: readonly Result[]): void {
  const sum = (count: (result: Result) => number): number => results.reduce((total, one) => total + count(one), 0)
  const complete = results.filter(({ isComplete }) => isComplete).length
  console.log(
    `\n${results.length} worlds, ${complete} of them to their end: ${sum(({ states }) => states)} states, ${sum(
      ({ transitions }) => transitions,
    )} transitions; ${results.filter(({ defect }) => defect).length} defects`,
  )
}

function printExceptions(results: readonly Result[]): void {
  for (const [name, shape] of Object.entries(EXCEPTIONS)) {
    const counts = results.map(({ exceptions }) => [...exceptions].find(([one]) => one === name)?.[1].count ?? 0)
    console.log(`exception, ${counts.reduce((total, one) => total + one, 0)} times: ${name}: ${shape}`)
  }
}

function missingOutcomes(results: readonly Result[]): string[] {
  const reached = new Set(
    results.flatMap(({ outcomes }) => Array.from(outcomes.keys(), (name) => name.split(': ').at(-1))),
  )
  return Object.keys(OUTCOMES).filter((code) => !reached.has(code) && !ELSEWHERE.includes(code))
}

async function missingLines(results: readonly Result[]): Promise<string[]> {
  const worker = new Worker(__dirname)
  const samples = results.flatMap(({ name, outcomes }) => Array.from(outcomes.values(), ({ path }) => ({ name, path })))
  const lines = await worker.unreached(samples)
  worker.stop()
  return lines
}

void exploreWorlds()
