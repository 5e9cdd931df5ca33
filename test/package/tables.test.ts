import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTCOMES } from '../../lib'
import { CLIENT_OPTIONS } from '../../lib/client/options'
import * as limits from '../../lib/limits'
import { MANY_OPTIONS } from '../../lib/login/providers/options'
import { STRATEGY_OPTIONS } from '../../lib/passport/options'
import { kindOf, parse } from '../support/option-kinds'

// What the documentation says of limits, options and outcomes, compared with the source.

const root = join(__dirname, '../../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const english = (value: number): string => value.toLocaleString('en')

const figures = new Map(Object.entries(limits))

/** By the end of a limit's name, the units of its figure, and how much of the value each is. */
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  _LENGTH: { characters: 1 },
  _BYTES: { MiB: 1024 ** 2, KiB: 1024 },
  _SECONDS: { hours: 3600, minutes: 60, seconds: 1 },
  _MS: { hours: 3_600_000, minutes: 60_000, seconds: 1000 },
}

function figureOf(name: string): string {
  const value = figures.get(name) ?? Number.NaN
  const [, units] = Object.entries(UNITS).find(([end]) => name.endsWith(end)) ?? []
  if (!units) return english(value)
  const [unit, size] = Object.entries(units).find(([, size]) => value >= size) ?? ['seconds', 1000]
  return value === size ? `1 ${unit.replace(/s$/, '')}` : `${english(value / size)} ${unit}`
}

const names = Array.from(read('lib/limits.ts').matchAll(/^export const (\w+) =/gm), ([, name = '']) => name)

test('docs/limits.md lists every limit with its figure, in the order of lib/limits.ts', () => {
  const rows = Array.from(read('docs/limits.md').matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \| \S.+\. \|$/gm))
  const listed = rows.map(([, name, figure]) => `${name}: ${figure}`)
  expect(names.toSorted()).toEqual([...figures.keys()].toSorted())
  expect(listed).toEqual(names.map((name) => `${name}: ${figureOf(name)}`))
})

/** Where else a figure stands, because readers decide by it: the text around it, with `?` in its place, or `#` for the number alone. */
test.each([
  ['SECURITY.md', 'MAX_AGE_MS', 'from its start to the first callback, ? at most.'],
  ['SECURITY.md', 'SILENT_APPROVAL_MS', 'by a link through a site of theirs: ? if the `Referer`'],
  ['docs/operations.md', 'MAX_CLOCK_SKEW_MS', 'Clocks may differ by ?.'],
  ['docs/operations.md', 'RETENTION_MS', 'Before step 3, wait ? for `keys`:'],
  ['docs/operations.md', 'DEFAULT_CONNECTIONS', '`maxConcurrentLogins` (?)'],
  ['docs/guides/other-databases.md', 'MAX_ID_LENGTH', 'up to ?, compared exactly'],
  ['docs/errors.md', 'SILENT_APPROVAL_MS', 'After ?, a Referer of your own application'],
  ['docs/options.md', 'INERT_MS', 'confirm page** appears after ?,'],
  ['docs/options.md', 'MIN_COOKIE_KEY_LENGTH', 'secrets of at least ?;'],
  ['docs/comparison.md', 'MAX_BODY_BYTES', '10 s over both requests; ? |'],
  ['docs/options.md', 'MAX_USER_AGENT_LENGTH', 'up to # printable ASCII characters'],
  ['docs/guides/migrating.md', 'MAX_STATE_BYTES', 'at most # bytes as JSON'],
  ['docs/web.md', 'MAX_STATE_BYTES', 'up to # bytes of JSON'],
  ['docs/web.md', 'MAX_BODY_BYTES', 'are read, up to ? of text'],
  ['docs/web.md', 'MAX_HEADER_BYTES', '| Headers, framing | ?, 1 MiB |'],
  ['docs/web.md', 'MAX_WIRE_BYTES', '| Headers, framing | 6 KiB, ? |'],
  ['lib/login/providers/options.ts', 'MAX_RETURN_PATH_LENGTH', 'more than ? once percent-encoded'],
  ['lib/login/providers/options.ts', 'MAX_STATE_BYTES', 'Up to # bytes of JSON'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MAX_COOKIE_KEYS', '1 to # random secrets'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MIN_COOKIE_KEY_LENGTH', 'of at least ? or bytes'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MAX_COOKIE_NAME_LENGTH', '1 to # of the characters'],
  ['lib/client/response/profile.ts', 'MAX_TEXT_LENGTH', 'cut to ?:'],
  ['lib/errors.ts', 'MAX_WAIT_SECONDS', 'before the next try, 0 to #.'],
])('%s has the figure of %s', (page, name, sentence) => {
  const text = sentence.replace('?', figureOf(name)).replace('#', english(figures.get(name) ?? Number.NaN))
  expect(read(page)).toContain(text)
})

test('what applications copy keeps a login for as long as a server may accept it', () => {
  const lifetime = `${limits.RETENTION_MS / 60_000} * 60`
  expect(read('docs/files/redis-store.ts')).toContain(`value: ${lifetime} }`)
  expect(read('docs/files/durable-object.mjs')).toContain(`LIFETIME_SECONDS = ${lifetime}\n`)
  for (const file of ['redis-store.ts', 'durable-object.mjs'])
    expect(read(`docs/files/${file}`)).toContain('// RETENTION_MS of docs/limits.md')
})

/** A row of a table of options. */
interface Row {
  readonly option: string
  readonly type: string
  /** The cell; in docs/client.md there is no type. */
  readonly fallback: string
}

const optionsPage = read('docs/options.md')
const [oneProvider = '', , manyProviders = ''] = optionsPage.split(/\n## (?=CookieStore|Many providers)/)
const cell = String.raw` ((?:\\\||[^|])*)`

function rowsOf(section: string): Row[] {
  const rows = section.matchAll(new RegExp(String.raw`^\| \`(\w+)\` \|${cell}\|${cell}\|${cell}\|$`, 'gm'))
  return Array.from(rows, ([, option = '', type = '', fallback = '']) => ({
    option,
    type: type.replaceAll('\\|', '|').trim(),
    fallback: fallback.trim(),
  }))
}

/** The type as the parser tells it: the figures of a range, the values of a choice, or true and false. */
function typeOf(table: object, option: string): string | undefined {
  const { type, range = [], choices = [] } = kindOf(table, option) ?? {}
  if (type === 'integer') return range.map(english).join('–')
  if (type === 'choice') return choices.map((value) => `\`'${value}'\``).join(' | ')
  return type === 'boolean' ? type : undefined
}

/** The comment above a member of an interface. */
function commentOf(file: string, option: string): string {
  const [, comment = ''] =
    new RegExp(String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\n  readonly ${option}\??:`).exec(read(`lib/${file}`)) ?? []
  return comment.replaceAll(/\s*\n\s*\* ?/g, ' ')
}

const STRATEGY = [...rowsOf(oneProvider), ...rowsOf(manyProviders).filter(({ option }) => option in MANY_OPTIONS)]

test('docs/options.md lists exactly the options of the strategy', () => {
  expect(STRATEGY.map(({ option }) => option).toSorted()).toEqual(Object.keys(STRATEGY_OPTIONS).toSorted())
})

/** A number or a boolean as a comment has it. */
const textOf = (value: unknown): string => (typeof value === 'number' ? english(value) : String(value))

/** The comment of an option in the interface that users see. */
function docOf(option: string): string {
  const files = ['login/providers/options.ts', 'passport/options.ts', 'client/options.ts']
  return files.map((file) => commentOf(file, option)).find((comment) => comment !== '') ?? ''
}

const typed = STRATEGY.filter(({ option }) => typeOf(STRATEGY_OPTIONS, option) !== undefined)

test('the parsers of a dozen options tell a type', () => {
  expect(typed.length).toBeGreaterThan(10)
})

test.each(typed)('docs/options.md and the comment of $option have its values, or its range and unit', (row) => {
  const { option, type } = row
  const [comment, told] = [docOf(option), typeOf(STRATEGY_OPTIONS, option) ?? '']
  expect(type).toBe(`${/^ ?Milliseconds\b/.test(comment) ? 'ms, ' : ''}${told}`)
  if (/^\d/.test(told)) expect(comment).toContain(`; ${told.replace('–', ' to ')}.`)
})

const withDefault = STRATEGY.map(({ option, fallback }) => {
  const parsed = fallback === 'required' || fallback === '' ? undefined : parse(STRATEGY_OPTIONS, option, undefined)
  return { option, fallback, value: parsed instanceof Set ? [...parsed] : parsed }
}).filter(({ option, value }) => /^(number|boolean|string)$/.test(typeof value) && option !== 'userAgent')

test('a dozen options have a default that is a plain value', () => {
  expect(withDefault.length).toBeGreaterThan(11)
})

test.each(withDefault)('docs/options.md and the comment of $option have its default', ({ option, fallback, value }) => {
  expect(fallback).toBe(`\`${JSON.stringify(value).replaceAll('"', "'")}\``)
  const text = typeof value === 'string' ? `\`${value}\`` : textOf(value)
  expect(docOf(option)).toMatch(new RegExp(`Default ${text}[.;,]`))
})

const clientRows =
  read('docs/client.md')
    .split('| Option |')[1]
    ?.match(/^\| `.+$/gm) ?? []

test('docs/client.md lists exactly the options of the client', () => {
  const named = clientRows.flatMap((row) =>
    Array.from(row.split('|')[1]?.matchAll(/`(\w+)`/g) ?? [], ([, name]) => name),
  )
  expect(named.toSorted()).toEqual(Object.keys(CLIENT_OPTIONS).toSorted())
})

test.each(Object.keys(CLIENT_OPTIONS).filter((option) => kindOf(CLIENT_OPTIONS, option)?.type === 'integer'))(
  'docs/client.md refers to the strategy for %s, or has its default and range, as its comment does',
  (option) => {
    const [value, range] = [
      parse(CLIENT_OPTIONS, option, undefined),
      typeOf(CLIENT_OPTIONS, option)?.replace('–', ' to '),
    ]
    const row = clientRows.find((each) => each.startsWith(`| \`${option}\` |`))
    if (option in STRATEGY_OPTIONS) expect(row).toMatch(/^\| `\w+` \| \| As for the strategy, but /)
    else expect(row).toMatch(new RegExp(String.raw`^\| \`${option}\` \| \`${value}\` \| .*, ${range}\. `))
    expect(commentOf('client/options.ts', option)).toContain(`Default ${textOf(value)}; ${range}.`)
  },
)

test('docs/errors.md lists every outcome with its type, status and message, and marks those that no new attempt helps', () => {
  const [, section = ''] = /\n## Outcomes\n([\s\S]*?)\n## /.exec(read('docs/errors.md')) ?? []
  const rows = section.match(/^\| `.*$/gm)
  const expected = Object.entries(OUTCOMES).map(([code, { type, status, retryable, message }]) => {
    const cells = [`\`${code}\``, type, `${status}${retryable ? '' : ' *'}`, message]
    return `| ${cells.join(' | ')} |`
  })
  expect(rows).toEqual(expected)
})
