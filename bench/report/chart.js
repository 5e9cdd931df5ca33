import { WEB } from '../app/contenders/index.js'
import { titleOf } from './tables.js'

const WIDTH = 860
const LABELS = 210
const BAR = 16
const GAP = 6
const COLOURS = { ours: '#0b6e4f', peer: '#7a8793', floor: '#b9c2ca' }

/** The measurements that a reader of the README asks for first, as bars; shorter is better in each of them. */
export function chart({ roundTrips, callbacks }) {
  const { idle30: silent } = roundTrips.providers.keeps75
  const { idle30: announced } = roundTrips.providers.keeps5
  const panels = [
    panel('Round trips of a login after 30 s idle; the limit is 2', silent, (entry) => entry.roundTrips, 2),
    panel('... where the provider keeps idle connections only 5 s', announced, (entry) => entry.roundTrips, 2),
    panel(
      'CPU per callback, over passport-oauth2 in the same stack (c = 16)',
      only(callbacks[16].cpuOverOAuth2, (name) => !WEB.includes(name)),
      (entry) => entry.median,
      1,
    ),
    panel(
      'CPU per callback behind Request and Response, over the two calls on node:http (c = 16)',
      only(callbacks[16].cpuOverBare, (name) => WEB.includes(name)),
      (entry) => entry.median,
      1,
    ),
  ]
  let top = 12
  const drawn = panels.map((one) => {
    const svg = drawPanel(one, top)
    top += 34 + one.bars.length * (BAR + GAP) + 18
    return svg
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-labelledby="title" font-family="system-ui, sans-serif" font-size="12">
<title id="title">passport-social-login beside its peers: round trips and CPU per login, shorter is better</title>
<rect width="${WIDTH}" height="${top}" fill="#ffffff"/>
${drawn.join('\n')}
</svg>
`
}

const only = (results, keep) => Object.fromEntries(Object.entries(results).filter(([name]) => keep(name)))

function panel(title, results, pick, limit) {
  const bars = Object.entries(results).map(([name, result]) => ({ name, value: pick(result) }))
  return { title, bars, limit }
}

function drawPanel({ title, bars, limit }, top) {
  const longest = Math.max(limit, ...bars.map(({ value }) => value))
  const scale = (value) => (value / longest) * (WIDTH - LABELS - 70)
  const rows = bars.map((bar, i) => drawBar(bar, top + 34 + i * (BAR + GAP), scale))
  const x = (LABELS + scale(limit)).toFixed(1)
  const height = bars.length * (BAR + GAP)
  return `<text x="12" y="${top + 18}" font-weight="600" fill="#1b2329">${title}</text>
${rows.join('\n')}
<line x1="${x}" x2="${x}" y1="${top + 30}" y2="${top + 34 + height}" stroke="#c0392b" stroke-dasharray="3 3"/>`
}

function drawBar({ name, value }, y, scale) {
  const kind = ['ours', 'cookie', 'web'].includes(name)
    ? 'ours'
    : ['bare', 'bareFetch'].includes(name)
      ? 'floor'
      : 'peer'
  const width = scale(value).toFixed(1)
  const middle = y + BAR - 4
  return `<text x="${LABELS - 8}" y="${middle}" text-anchor="end" fill="#1b2329">${titleOf(name)}</text>
<rect x="${LABELS}" y="${y}" width="${width}" height="${BAR}" rx="2" fill="${COLOURS[kind]}"/>
<text x="${(LABELS + Number(width) + 6).toFixed(1)}" y="${middle}" fill="#1b2329">${value.toFixed(2)}</text>`
}
