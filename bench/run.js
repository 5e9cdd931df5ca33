// npm run bench [-- --only=roundTrips,stall]: measures the CPU, time and size in docs/comparison.md. See README.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { Provider } from './bench.js'
import { measureCallbacks } from './measure/callbacks.js'
import { measureFootprint } from './measure/footprint.js'
import { measureRoundTrips } from './measure/round-trips.js'
import { measureStall } from './measure/stall.js'
import { CORES, canPin, pinThisProcess } from './processes.js'
import { chart } from './report/chart.js'
import { tables } from './report/tables.js'

const { values: options } = parseArgs({ options: { full: { type: 'boolean' }, only: { type: 'string' } } })
const extent = options.full
  ? { rounds: 15, samples: 5, longIdle: true, seconds: 480 }
  : { rounds: 7, samples: 3, longIdle: false, seconds: 50 }

const measurements = {
  footprint: () => measureFootprint(extent),
  roundTrips: (provider) => measureRoundTrips(provider, extent),
  callbacks: (provider) => measureCallbacks(provider, extent),
  stall: (provider) => measureStall(provider),
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
  results[name] = await measurements[name](provider)
  console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}
await provider.stop()

console.log(`\n${tables(results)}`)
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
  const all = isComplete ? { ...results, environment } : results
  for (const [name, result] of Object.entries(all)) write(`${name}.json`, `${JSON.stringify(result, medians, 2)}\n`)
  if (isComplete) write('chart.svg', chart(results))
}

/** Of a spread only the median is kept. */
function medians(_key, value) {
  const one = value?.median ?? value
  return typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(4)) : one
}
