import { onPhaseEnd } from '../../lib'
import { replaceClock } from './clock'
import { configurationOf } from './configuration'
import { watchCoverage } from './coverage'
import { type Exploration, explore } from './explore'
import { reportOf } from './story'

/** What the main process asks of a worker: to explore, or, without a name, to say what it has not reached. */
export interface Task {
  readonly name?: string
  readonly milliseconds: number
}

/** The result of one configuration, with a finding as a text. */
export interface Result extends Omit<Exploration, 'configuration' | 'finding'> {
  readonly name: string
  readonly defect: { readonly report: string; readonly length: number } | undefined
}

async function run(name: string, milliseconds: number): Promise<Result> {
  const configuration = configurationOf(name)
  const { finding, configuration: _, ...result } = await explore(configuration, milliseconds)
  const defect = finding && { report: await reportOf(configuration, finding), length: finding.path.length }
  return { ...result, name, defect }
}

async function work(): Promise<void> {
  const unreached = await watchCoverage()
  // As an application that measures its logins: the codes of decisions are found for it only.
  onPhaseEnd('verify', () => {})
  replaceClock()
  // Nobody reads where an outcome was made, and to find out takes long.
  Error.stackTraceLimit = 0
  process.on('message', ({ name, milliseconds }: Task) => {
    const answer = name === undefined ? unreached() : run(name, milliseconds)
    answer.then(
      (result) => process.send?.(result),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}

void work()
