import { contenders, WEB } from '../app/contenders/index.js'

export const titleOf = (name) => contenders[name]?.title ?? name

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
export function tables({ roundTrips, callbacks, stall, footprint }) {
  return [
    roundTrips && roundTripTables(roundTrips),
    callbacks && callbackTable(callbacks),
    callbacks && webCallbackTable(callbacks),
    stall && stallTable(stall),
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
  const names = Object.keys(contenders).filter((name) => !WEB.includes(name))
  return cpuTable(callbacks, 'cpuOverOAuth2', names, `CPU of callbacks, over ${titleOf('oauth2')}`)
}

function webCallbackTable(callbacks) {
  return cpuTable(
    callbacks,
    'cpuOverBare',
    WEB,
    `CPU of callbacks behind Request and Response, over ${titleOf('bare')}`,
  )
}

function cpuTable(callbacks, kind, names, title) {
  const rows = names.map((name) => [
    titleOf(name),
    ...Object.values(callbacks).map((result) => ratio(result[kind][name])),
    callbacks[128].loginsPerSecond[name].median.toFixed(0),
  ])
  const head = ['contender', 'c = 1', 'c = 16', 'c = 128', 'logins/s, c = 128']
  return `## ${title}: median (quartiles)\n\n${table(head, rows)}`
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

function footprintTable({ loadMs, installed }) {
  const rows = Object.entries(loadMs).map(([name, milliseconds]) => [
    name,
    milliseconds.toFixed(0),
    installed[name]?.packages ?? '',
    installed[name] ? megabytes(installed[name].bytes) : '',
  ])
  return `## Load time and installed size\n\n${table(['package', 'ms to load', 'packages', 'installed, without types'], rows)}`
}
