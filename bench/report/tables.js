import { contenders, siteContenders, WEB } from '../app/contenders/index.js'

export const titleOf = (name) => (contenders[name] ?? siteContenders[name])?.title ?? name

/** Rows of cells as a table that is both plain text and Markdown. */
export function table(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  return [line(all[0]), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...all.slice(1).map(line)].join(
    '\n',
  )
}

const ratio = ({ median, q1, q3 }) => `${median.toFixed(2)} (${q1.toFixed(2)}-${q3.toFixed(2)})`

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

const SCENARIOS = {
  first: 'first ever',
  idle02: 'idle 0.2 s',
  idle30: 'idle 30 s, think 3 s',
  idle90: 'idle 90 s, think 10 s',
}
const PROVIDERS = { keeps75: 'provider keeps idle connections 75 s', keeps5: 'provider keeps them 5 s and says so' }

/** Every measurement as a titled table. */
export function tables({ roundTrips, callbacks, allocated, alone, starts, memory, stall, communities, footprint }) {
  return [
    roundTrips && roundTripTables(roundTrips),
    callbacks && callbackTable(callbacks),
    callbacks && webCallbackTable(callbacks),
    allocated && allocatedTable(allocated),
    alone && aloneTable(alone),
    starts && startTable(starts),
    memory && memoryTable(memory),
    stall && stallTable(stall),
    communities && communityTables(communities),
    footprint && footprintTable(footprint),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function roundTripTables({ roundTripMs, providers }) {
  const parts = Object.entries(providers).map(([kind, scenarios]) => {
    const names = Object.keys(scenarios.first)
    const cell = ({ roundTrips, connections }) => `${roundTrips.toFixed(1)} (${connections})`
    const rows = names.map((name) => [
      titleOf(name),
      ...Object.values(scenarios).map((scenario) => cell(scenario[name])),
    ])
    const head = ['contender', ...Object.keys(scenarios).map((scenario) => SCENARIOS[scenario])]
    return `${PROVIDERS[kind]}:\n\n${table(head, rows)}`
  })
  const title = `Round trips of one isolated login over TLS, ${roundTripMs} ms each (connections opened)`
  return [`## ${title}`, ...parts].join('\n\n')
}

function callbackTable(callbacks) {
  const names = Object.keys(callbacks[1].cpuRatio).filter((name) => !WEB.includes(name))
  const rows = names.map((name) => [
    titleOf(name),
    ...Object.values(callbacks).map(({ cpuRatio }) => ratio(cpuRatio[name])),
    callbacks[16].cpuMicroseconds[name].toFixed(0),
    ratio(callbacks[128].rateRatio[name]),
    callbacks[128].rate[name].median.toFixed(0),
  ])
  const head = ['contender', 'CPU, c = 1', 'CPU, c = 16', 'CPU, c = 128', 'us, c = 16', 'rate, c = 128', 'logins/s']
  return `## CPU and rate of callbacks, over the floor: median (quartiles)\n\n${table(head, rows)}`
}

function webCallbackTable(callbacks) {
  const rows = WEB.map((name) => [
    titleOf(name),
    ...Object.values(callbacks).map(({ cpuOverBare }) => ratio(cpuOverBare[name])),
    callbacks[16].cpuMicroseconds[name].toFixed(0),
    callbacks[128].rate[name].median.toFixed(0),
  ])
  const head = ['contender', 'CPU, c = 1', 'CPU, c = 16', 'CPU, c = 128', 'us, c = 16', 'logins/s, c = 128']
  return `## CPU of callbacks behind Request and Response, over ${titleOf('bare')}: median (quartiles)\n\n${table(head, rows)}`
}

function allocatedTable(allocated) {
  const kibibytes = (bytes) => (bytes / 1024).toFixed(1)
  const rows = Object.entries(allocated).map(([name, { bytes, least, most }]) => [
    titleOf(name),
    `${kibibytes(bytes)} (${kibibytes(least)}-${kibibytes(most)})`,
  ])
  return `## Allocated by a callback, c = 16\n\n${table(['contender', 'KiB: median (extremes)'], rows)}`
}

function aloneTable(alone) {
  const names = Object.keys(alone[16].ratio)
  const rows = names.map((name) => [
    name === 'bare' ? 'two undici calls' : titleOf(name),
    ...[16, 1].flatMap((concurrency) => {
      const { ratio: ratios, cpuMicroseconds } = alone[concurrency]
      return [ratio(ratios[name]), cpuMicroseconds[name].toFixed(0)]
    }),
  ])
  const head = ['contender', 'CPU, c = 16', 'us, c = 16', 'CPU, c = 1', 'us, c = 1']
  return `## CPU of the strategy alone, over the two calls: median (quartiles)\n\n${table(head, rows)}`
}

function startTable({ ratio: ratios, overFloor, cpuMicroseconds }) {
  const rows = Object.keys(ratios).map((name) => [
    titleOf(name),
    ratio(ratios[name]),
    ratio(overFloor[name]),
    cpuMicroseconds[name].toFixed(0),
  ])
  const head = ['contender', 'CPU over the bare redirect', 'over the redirect with a mark', 'us']
  return `## CPU of the start: median (quartiles)\n\n${table(head, rows)}`
}

function memoryTable(memory) {
  const rows = Object.entries(memory).map(([name, { grownPer10000Logins, grownBy100000Starts }]) => [
    titleOf(name),
    grownPer10000Logins.map(megabytes).join(', '),
    megabytes(grownBy100000Starts),
  ])
  const head = ['strategy', 'heap per 10,000 logins, one after the other', 'heap per 100,000 starts without callback']
  return `## Memory after gc\n\n${table(head, rows)}`
}

function stallTable({ callbacks, bulkhead, contenders: stalled }) {
  const rows = Object.entries(stalled).map(([name, { connections, statuses, pingP50, pingP99, afterwards }]) => [
    titleOf(name),
    connections,
    Object.entries(statuses)
      .map(([status, count]) => `${count} x ${status}`)
      .join(', ') || 'none answered',
    `${pingP50.toFixed(0)} / ${pingP99.toFixed(0)} ms`,
    afterwards,
  ])
  const head = ['contender', 'connections', 'answers', 'unrelated route p50 / p99', 'next login']
  return `## A provider that hangs, ${callbacks} callbacks, bulkhead of ${bulkhead}\n\n${table(head, rows)}`
}

function communityTables({ cpu, logins, hanging }) {
  const { before, after, most } = logins
  const milliseconds = ({ p50, p99 }) => `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`
  const cpuRows = Object.keys(cpu.ratio).map((name) => [
    titleOf(name),
    ratio(cpu.ratio[name]),
    cpu.cpuMicroseconds[name].toFixed(0),
  ])
  const rows = [
    ['communities, origins, logins', [logins.communities, logins.origins, logins.logins].join(', ')],
    ['logins that failed, brought another person, or met another provider', logins.wrong],
    ['heap before, after', `${megabytes(before.heap)}, ${megabytes(after.heap)}`],
    ['resident memory before, after', `${megabytes(before.rss)}, ${megabytes(after.rss)}`],
    ['connections to providers at most, at the end', `${most}, ${logins.open}`],
    ['callbacks of other providers, p50 / p99', milliseconds(hanging.before)],
    ['... while one provider hangs', milliseconds(hanging.during)],
  ]
  const cpuTable = table(['contender', 'CPU of a callback, c = 16', 'us'], cpuRows)
  return `## Many providers\n\n${cpuTable}\n\n${table(['', ''], rows)}`
}

function footprintTable({ loadMs, installed }) {
  const rows = Object.entries(loadMs).map(([name, milliseconds]) => [
    name,
    milliseconds.toFixed(0),
    installed[name]?.packages ?? '',
    installed[name] ? megabytes(installed[name].bytes) : '',
  ])
  return `## Load time and installed size\n\n${table(['package', 'ms to load', 'packages', 'installed, without types'], rows)}`
}
