// npm run tables: writes what the pages contain about outcomes, limits, rules and options, from the code. A table between
// <!-- table: NAME --> and <!-- /table --> is written whole, or keeps the sentences of its rows; a figure before
// <!-- LIMIT --> is that of the limit; the first line below the heading of an outcome is its kind and status. With
// --check it writes nothing, and prints what it would write.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const require = createRequire(join(root, 'dist/lib/index.js'))
const { OUTCOMES } = require('./errors')
const limits = require('./limits')
const { CLIENT_OPTIONS } = require('./client/options')
const { STRATEGY_OPTIONS } = require('./passport/options')
const { SOCIAL_LOGIN_OPTIONS } = require('./web/options')
const { RULES } = require('./testing/pending-login-store/rules')
const { kindOf, parse } = require('../test/support/option-kinds')

const NO_SENTENCE = 'TODO'
const english = (value) => value.toLocaleString('en')

/** By the end of a limit's name, the units of its figure, and how much of the value each is. */
const UNITS = {
  _LENGTH: { characters: 1 },
  _BYTES: { MiB: 1024 ** 2, KiB: 1024 },
  _SECONDS: { hours: 3600, minutes: 60, seconds: 1 },
  _MS: { hours: 3_600_000, minutes: 60_000, seconds: 1000 },
}

function figureOf(name) {
  const value = limits[name]
  if (value === undefined) throw new Error(`There is no limit ${name}.`)
  const [, units] = Object.entries(UNITS).find(([end]) => name.endsWith(end)) ?? []
  if (!units) return english(value)
  const [unit, size] = Object.entries(units).find(([, size]) => value >= size) ?? ['seconds', 1000]
  return value === size ? `1 ${unit.replace(/s$/, '')}` : `${english(value / size)} ${unit}`
}

/** Tables that are written whole, by their names: from the rows that one has, those that it should have, as lists of cells. */
const WHOLE = {
  rules: () => RULES.map(({ rule }) => [rule]),
  'options of SocialLogin': (rows) =>
    besideStrategy(rows, [...Object.keys(SOCIAL_LOGIN_OPTIONS), 'keys', 'cookie', 'store']),
  'options of the client': (rows) => besideStrategy(rows, Object.keys(CLIENT_OPTIONS)),
}

/** Tables, in several sections of a page, whose rows keep their sentences: what must have a row, and its cells. */
const KEPT = {
  limits: {
    names: Array.from(
      readFileSync(join(root, 'lib/limits.ts'), 'utf8').matchAll(/^export const (\w+) =/gm),
      ([, name]) => name,
    ),
    cells: (name, [, , sentence] = []) => [figureOf(name), sentence ?? NO_SENTENCE],
    isSorted: true,
  },
  'options of the strategy': {
    names: Object.keys(STRATEGY_OPTIONS),
    cells: (name, [, type = '', fallback = '', sentence] = []) => [
      ...[typeOf(name) ?? type, defaultOf(name) ?? fallback, sentence ?? NO_SENTENCE],
    ],
    hasAnchors: true,
  },
}

const nameIn = (cell = '') => /^(?:<a id=".+"><\/a>)?`(\w+)`$/.exec(cell)?.[1] ?? ''
const namesIn = (cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name)

/** The rows with these names, in the order of the page, and at the end those that it lacks. */
function complete(rows, names, otherCells) {
  const missing = names.filter((name) => !rows.some(([cell]) => namesIn(cell).includes(name)))
  return [...rows, ...missing.map((name) => [`\`${name}\``, ...otherCells])].filter(([cell]) =>
    namesIn(cell).every((name) => names.includes(name)),
  )
}

const AS_FOR_THE_STRATEGY = 'As for the strategy.'

/** One row for all options that have no other one, because they are those of the strategy. Each links to its own row there. */
function besideStrategy(rows, names) {
  const own = complete(
    rows.filter((row) => row.at(-1) !== AS_FOR_THE_STRATEGY),
    names.filter((name) => !(name in STRATEGY_OPTIONS) || rows.some((row) => isOwn(row, name))),
    ['', NO_SENTENCE],
  )
  const others = names.filter((name) => !own.some(([cell]) => namesIn(cell).includes(name)))
  return [
    ...own,
    [others.map((name) => `[\`${name}\`](options.md#${name.toLowerCase()})`).join(', '), '', AS_FOR_THE_STRATEGY],
  ]
}

const isOwn = (row, name) => row.at(-1) !== AS_FOR_THE_STRATEGY && namesIn(row[0]).includes(name)

/** As the parser describes it: the figures of a range, the values of a choice, or true and false. */
function typeOf(option) {
  const { type, range = [], choices = [] } = kindOf(STRATEGY_OPTIONS, option) ?? {}
  if (type === 'integer') return `${/[tT]imeout$/.test(option) ? 'ms, ' : ''}${range.map(english).join('–')}`
  if (type === 'choice') return choices.map((value) => `\`'${value}'\``).join(' \\| ')
  return type === 'boolean' ? type : undefined
}

/** A default that is a number, a text or true or false. */
function defaultOf(option) {
  try {
    const parsed = parse(STRATEGY_OPTIONS, option, undefined)
    const value = parsed instanceof Set ? [...parsed] : parsed
    if (!/^(number|boolean|string)$/.test(typeof value) || option === 'userAgent') return undefined
    return `\`${JSON.stringify(value).replaceAll('"', "'")}\``
  } catch {
    return undefined
  }
}

function written(page, text) {
  const parts = text.split(/(?<=<!-- table: .+ -->\n)([\s\S]*?)(?=<!-- \/table -->)/)
  const tables = parts.flatMap((part, at) => {
    const [, name] = /<!-- table: (.+) -->\n$/.exec(parts[at - 1] ?? '') ?? []
    return name === undefined ? [] : [{ at, name, head: part.split('\n').slice(0, 2), rows: rowsOf(part) }]
  })
  for (const name of new Set(tables.map((table) => table.name))) {
    const sections = tables.filter((table) => table.name === name)
    if (!WHOLE[name] && !KEPT[name]) throw new Error(`${page}: there is no table ${name}.`)
    const rows = WHOLE[name] ? [WHOLE[name](sections[0].rows)] : keptRows(sections, KEPT[name])
    for (const [index, { at, head }] of sections.entries())
      parts[at] = [
        ...head,
        ...rows[index].map((row) => `|${row.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`),
        '',
      ].join('\n')
  }
  return parts
    .join('')
    .replace(FIGURE, (_, unit, name) => {
      const figure = figureOf(name)
      return `${unit ? figure : english(limits[name])}<!-- ${name} -->`
    })
    .replace(OUTCOME, (section, heading, code) => {
      const outcome = OUTCOMES[code]
      return outcome ? heading + kindOfOutcome(outcome) : section
    })
}

/** The heading of an outcome, and the line below it, if it has one. */
const OUTCOME = /^(### `(\w+)`\n\n)(?:(?:Failure|Error), status .*\n\n)?/gm

function kindOfOutcome({ type, status, retryable }) {
  return `${type === 'failure' ? 'Failure' : 'Error'}, status ${status}, \`retryable: ${retryable}\`.\n\n`
}

/** A figure with its unit, or the number alone. */
const FIGURE = /[\d.,]+( (?:characters?|[MK]iB|hours?|minutes?|seconds?))?<!-- ([A-Z_]+) -->/g

/**
 * The rows of each section. A new one comes into the section of the name before it. The first row of a name gets an anchor,
 * if the table has some: no two may be alike.
 */
function keptRows(sections, { names, cells, isSorted = false, hasAnchors = false }) {
  const kept = sections.map(({ rows }) =>
    rows.map((row) => [nameIn(row[0]), row]).filter(([name]) => names.includes(name)),
  )
  let section = kept[0]
  for (const name of names) {
    const found = kept.find((rows) => rows.some(([other]) => other === name))
    if (found) section = found
    else section.push([name, undefined])
  }
  if (isSorted) for (const rows of kept) rows.sort(([one], [other]) => names.indexOf(one) - names.indexOf(other))
  const anchored = new Set(hasAnchors ? [] : names)
  const anchorOf = (name) => (anchored.has(name) ? '' : `<a id="${name.toLowerCase()}"></a>`)
  return kept.map((rows) =>
    rows.map(([name, row]) => {
      const cell = `${anchorOf(name)}\`${name}\``
      anchored.add(name)
      return [cell, ...cells(name, row)]
    }),
  )
}

function rowsOf(table) {
  const lines = table
    .split('\n')
    .slice(2)
    .filter((line) => line.startsWith('|'))
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  )
}

const isCheck = process.argv.includes('--check')
const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
const pages = ['README.md', 'SECURITY.md', ...docs.map((name) => `docs/${name}`)].filter((name) => name.endsWith('.md'))
for (const page of pages) {
  const text = readFileSync(join(root, page), 'utf8')
  const result = written(page, text)
  if (result === text && !result.includes(`| ${NO_SENTENCE} |`)) continue
  if (isCheck) printDifference(page, text, result)
  else writeFileSync(join(root, page), result)
}

function printDifference(page, text, result) {
  const lines = new Set(text.split('\n'))
  const differing = result.split('\n').filter((line) => !lines.has(line) || line.includes(`| ${NO_SENTENCE} |`))
  console.log([`${page}: npm run tables writes`, ...differing].join('\n'))
}
