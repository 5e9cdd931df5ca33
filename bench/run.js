// npm run bench [-- --only=roundTrips,alone]: all that there is to compare, side by side. See README.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Provider } from './bench.js'
import { measureAllocated } from './measure/allocated.js'
import { measureAlone } from './measure/alone.js'
import { measureCallbacks } from './measure/callbacks.js'
import { measureCommunities } from './measure/communities.js'
import { measureFootprint } from './measure/footprint.js'
import { measureMemory } from './measure/memory.js'
import { measureRoundTrips } from './measure/round-trips.js'
import { measureStall } from './measure/stall.js'
import { measureStarts } from './measure/starts.js'
import { CORES, canPin, pinThisProcess } from './processes.js'
import { chart } from './report/chart.js'
import { goalTable, judge } from './report/goals.js'
import { tables } from './report/tables.js'

const { values: options } = parseArgs({ options: { full: { type: 'boolean' }, only: { type: 'string' } } })
const extent = options.full
  ? {
      footprint: 15,
      samples: 5,
      longIdle: true,
      alone: 120,
      callbacks: 480,
      starts: 90,
      batches: 4,
      allocated: 15,
      communities: 240,
      communityLogins: 100_000,
      hangs: 10,
    }
  : {
      footprint: 7,
      samples: 3,
      longIdle: false,
      alone: 20,
      callbacks: 50,
      starts: 12,
      batches: 2,
      allocated: 5,
      communities: 20,
      communityLogins: 10_000,
      hangs: 2,
    }

const measurements = {
  footprint: () => measureFootprint({ rounds: extent.footprint }),
  roundTrips: (provider) => measureRoundTrips(provider, extent),
  alone: (provider) => measureAlone(provider, { seconds: extent.alone }),
  callbacks: (provider) => measureCallbacks(provider, { seconds: extent.callbacks }),
  allocated: (provider) => measureAllocated(provider, { rounds: extent.allocated }),
  starts: (provider) => measureStarts(provider, { seconds: extent.starts }),
  memory: (provider) => measureMemory(provider, { batches: extent.batches }),
  stall: (provider) => measureStall(provider),
  communities: (provider) =>
    measureCommunities(provider, { seconds: extent.communities, logins: extent.communityLogins, rounds: extent.hangs }),
}
const chosen = options.only?.split(',') ?? Object.keys(measurements)
const unknown = chosen.filter((name) => !measurements[name])
if (unknown.length > 0) throw new Error(`--only knows: ${Object.keys(measurements).join(', ')}`)

const environment = describeEnvironment()
console.log(`${environment.node}, ${environment.cpu}, ${environment.pinned ? 'pinned' : 'NOT pinned'}`)
if (environment.load > 0.5)
  console.log(`The machine is busy (load ${environment.load.toFixed(1)}): the figures will show it.`)

pinThisProcess(CORES.load)
const provider = await Provider.start()
const results = {}
for (const name of chosen) {
  const startedAt = performance.now()
  const result = await measurements[name](provider)
  Object.assign(results, name === 'callbacks' ? result : { [name]: result })
  console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}
await provider.stop()

const goals = judge(results)
console.log(`\n${tables(results)}\n\n${goalTable(goals)}`)
writeResults()

function describeEnvironment() {
  const [{ model }] = cpus()
  const versionOf = (folder) =>
    JSON.parse(readFileSync(new URL(`node_modules/${folder}/package.json`, import.meta.url))).version
  return {
    date: new Date().toISOString().slice(0, 10),
    node: `Node ${process.version.slice(1)}`,
    cpu: `${cpus().length} x ${model}`,
    load: loadavg()[0],
    pinned: canPin,
    full: options.full ?? false,
    peers: Object.fromEntries(
      Object.keys(JSON.parse(readFileSync(new URL('package.json', import.meta.url))).dependencies).map((name) => [
        name,
        versionOf(name),
      ]),
    ),
  }
}

function writeResults() {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const write = (name, content) => writeFileSync(new URL(name, folder), content)
  // Those of a part of the measurements would replace those of all.
  const isComplete = chosen.length === Object.keys(measurements).length
  const all = isComplete ? { ...results, goals, environment } : results
  for (const [name, result] of Object.entries(all)) write(`${name}.json`, `${JSON.stringify(result, round, 2)}\n`)
  if (isComplete) write('chart.svg', chart(results))
}

function round(_key, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
}
