import { onPhaseEnd } from '../../lib'
import { replaceClock } from './clock'
import { configurationOf } from './configuration'
import { unreachedBy } from './coverage'
import { type Exploration, explore, type Path, PROBES, replay } from './explore'
import { reportOf } from './story'
import { settingOf } from './world'

/** What the main process asks of a worker: to explore one world, or to tell which lines some paths do not reach. */
export type Task =
  | { readonly type: 'explore'; readonly name: string; readonly milliseconds: number }
  | { readonly type: 'coverage'; readonly samples: readonly Sample[] }

export interface Sample {
  readonly name: string
  readonly path: Path
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

async function follow(samples: readonly Sample[]): Promise<void> {
  for (const { name, path } of samples) {
    const world = await replay(settingOf(configurationOf(name)), path)
    if (world.runs.length === 0) await replay(settingOf(configurationOf(name)), [...path, PROBES])
  }
}

function answer(task: Task): Promise<Result | string[]> {
  return task.type === 'explore' ? run(task.name, task.milliseconds) : unreachedBy(() => follow(task.samples))
}

// As an application that measures its logins: the codes of decisions are found for it only.
onPhaseEnd('verify', () => {})
replaceClock()
// Nobody reads where an outcome was made, and to find out takes long.
Error.stackTraceLimit = 0
process.on('message', (task: Task) => {
  answer(task).then(
    (result) => process.send?.(result),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
