import { hash } from 'node:crypto'
import { canonical } from './canonical'
import { processorTime } from './clock'
import type { Configuration } from './configuration'
import { type Event, eventsOf } from './events'
import type { ExceptionName } from './judge'
import { probe, probesOf } from './probes'
import { type Setting, settingOf, World } from './world'

/** A path: the names of its events. */
export type Path = readonly string[]

/** The last event of a path at whose end a request was not refused that must be. */
export const PROBES = 'the requests that must be refused'

export interface Finding {
  readonly path: Path
  readonly error: Error
}

/** On how many transitions something was seen, and the first path that shows it. */
export interface Sighting {
  count: number
  readonly path: Path
}

export interface Exploration {
  readonly configuration: Configuration
  readonly states: number
  readonly transitions: number
  /** The number of events of the longest path whose states are all known. */
  readonly completeDepth: number
  /** Whether no state is left whose events have not been tried. */
  readonly isComplete: boolean
  readonly milliseconds: number
  /** What requests came to, by what they had to come to. */
  readonly outcomes: ReadonlyMap<string, Sighting>
  readonly exceptions: ReadonlyMap<ExceptionName, Sighting>
  readonly finding: Finding | undefined
}

/** Builds a world and lets the events of a path happen in it. */
export async function replay(setting: Setting, path: Path, told?: (event: Event) => void): Promise<World> {
  const world = new World(setting)
  for (const name of path) {
    if (name === PROBES) {
      await probe(world, probesOf(setting.configuration))
      continue
    }
    const event = find(world, name)
    told?.(event)
    await happen(world, event)
  }
  return world
}

function find(world: World, name: string): Event {
  for (const event of eventsOf(world)) if (event.name === name) return event
  throw new Error(`${name} is not possible here`)
}

async function happen(world: World, event: Event): Promise<void> {
  const { judge } = world
  judge.exceptions = []
  judge.outcomes = []
  await event.act()
  judge.checkWaiting()
}

/** The states that are known, each by the event that led to it first. */
class States {
  readonly #known = new Set<string>()
  readonly #parents: number[] = [-1]
  readonly #events: number[] = [-1]
  readonly #names: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly depths: number[] = [0]

  get size(): number {
    return this.depths.length
  }

  /** Whether the state is new. */
  add(world: World, parent: number, event: string): boolean {
    const digest = hash('sha256', canonical(world), 'base64url').slice(0, 22)
    if (this.#known.has(digest)) return false
    this.#known.add(digest)
    if (parent < 0) return true
    this.#parents.push(parent)
    this.#events.push(this.#numberOf(event))
    this.depths.push((this.depths[parent] ?? 0) + 1)
    return true
  }

  pathTo(state: number): string[] {
    const path: string[] = []
    for (let at = state; at > 0; at = this.#parents[at] ?? 0) path.unshift(this.#names[this.#events[at] ?? 0] ?? '')
    return path
  }

  #numberOf(event: string): number {
    const known = this.#numbers.get(event)
    if (known !== undefined) return known
    this.#names.push(event)
    this.#numbers.set(event, this.#names.length - 1)
    return this.#names.length - 1
  }
}

/** Explores a bounded world breadth first, until every state is known, a defect is found, or the time is up. */
export async function explore(configuration: Configuration, milliseconds: number): Promise<Exploration> {
  const startedAt = processorTime()
  const states = new States()
  const outcomes = new Map<string, Sighting>()
  const exceptions = new Map<ExceptionName, Sighting>()
  let transitions = 0
  let finding: Finding | undefined
  let state = 0
  const setting = settingOf(configuration)
  const probes = probesOf(configuration)
  states.add(new World(setting), -1, '')
  for (; state < states.size && !finding && processorTime() - startedAt < milliseconds; state += 1) {
    const path = states.pathTo(state)
    let reached: World | undefined = await replay(setting, path)
    for (const name of Array.from(eventsOf(reached), (event) => event.name)) {
      transitions += 1
      const world = await attempt(setting, path, name, reached)
      reached = undefined
      if (world instanceof Error) {
        finding = { path: [...path, name], error: world }
        break
      }
      const isNew = states.add(world, state, name)
      if (isNew && world.runs.length === 0) {
        const error = await failureOf(() => probe(world, probes))
        if (error) finding = { path: [...path, name, PROBES], error }
      }
      const shown = { count: 1, path: [...path, name] }
      for (const exception of world.judge.exceptions) see(exceptions, exception, shown)
      for (const outcome of world.judge.outcomes) see(outcomes, outcome, shown)
    }
  }
  const isComplete = !finding && state === states.size
  const completeDepth = isComplete ? (states.depths.at(-1) ?? 0) : (states.depths[state] ?? 0)
  return {
    configuration,
    states: states.size,
    transitions,
    completeDepth,
    isComplete,
    milliseconds: processorTime() - startedAt,
    outcomes,
    exceptions,
    finding,
  }
}

function see<Name>(seen: Map<Name, Sighting>, name: Name, shown: Sighting): void {
  const known = seen.get(name)
  if (known) known.count += 1
  else seen.set(name, { ...shown })
}

/** Lets one more event happen after a path: in the world that has reached its end, if that is still unused. */
async function attempt(setting: Setting, path: Path, name: string, reached?: World): Promise<World | Error> {
  let world: World | undefined
  const error = await failureOf(async () => {
    world = reached ?? (await replay(setting, path))
    await happen(world, find(world, name))
  })
  return error ?? world ?? new Error('there is no world')
}

async function failureOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
