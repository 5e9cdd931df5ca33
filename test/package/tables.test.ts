import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_OPTIONS } from '../../lib/client/options'
import * as limits from '../../lib/limits'
import { STRATEGY_OPTIONS } from '../../lib/passport/options'
import { kindOf, parse } from '../support/option-kinds'

// What the documentation and the doc comments say of limits, options and outcomes, compared with the source.

const root = join(__dirname, '../../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const english = (value: number): string => value.toLocaleString('en')

const figures = new Map(Object.entries(limits))

test('what `npm run tables` writes into the pages is there, with a sentence in each row', () => {
  const told = execFileSync(process.execPath, [join(root, 'tools/tables.mjs'), '--check'], { encoding: 'utf8' })
  expect(told).toBe('')
  for (const page of ['limits', 'options', 'web', 'client', 'stores'])
    expect(read(`docs/${page}.md`)).toContain('<!-- table: ')
  // test/package/addresses.test.ts finds each heading.
  expect(read('docs/errors.md')).toMatch(/^### `login_expired`\n\nFailure, status 403, `retryable: true`\.\n\n/m)
})

/** Doc comments that have a figure, for people who read them in their editor. */
test.each([
  ['lib/login/providers/options.ts', 'MAX_RETURN_PATH_LENGTH', 'more than ? characters once percent-encoded'],
  ['lib/login/providers/options.ts', 'MAX_STATE_BYTES', 'Up to ? bytes of JSON'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MAX_COOKIE_KEYS', '1 to ? random secrets'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MIN_COOKIE_KEY_LENGTH', 'of at least ? characters or bytes'],
  ['lib/login/pending-login/stores/sealed-cookie.ts', 'MAX_COOKIE_NAME_LENGTH', '1 to ? of the characters'],
  ['lib/client/response/profile.ts', 'MAX_TEXT_LENGTH', 'cut to ? characters:'],
  ['lib/errors.ts', 'MAX_WAIT_SECONDS', 'before the next try, 0 to ?.'],
])('%s has the figure of %s', (file, name, text) => {
  expect(read(file)).toContain(text.replace('?', english(figures.get(name) ?? Number.NaN)))
})

test('what applications copy keeps a login for as long as a server may accept it', () => {
  const lifetime = `${limits.RETENTION_MS / 60_000} * 60`
  expect(read('docs/files/redis-store.ts')).toContain(`value: ${lifetime} }`)
  expect(read('docs/files/durable-object.mjs')).toContain(`LIFETIME_SECONDS = ${lifetime}\n`)
  for (const file of ['redis-store.ts', 'durable-object.mjs'])
    expect(read(`docs/files/${file}`)).toContain('// RETENTION_MS of docs/limits.md')
})

/** The comment above a member of an interface. */
function commentOf(file: string, option: string): string {
  const [, comment = ''] =
    new RegExp(String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\n  readonly ${option}\??:`).exec(read(`lib/${file}`)) ?? []
  return comment.replaceAll(/\s*\n\s*\* ?/g, ' ')
}

/** The comment of an option of the strategy, in the interface that users see. */
function docOf(option: string): string {
  const files = ['login/providers/options.ts', 'passport/options.ts', 'client/options.ts']
  return files.map((file) => commentOf(file, option)).find((comment) => comment !== '') ?? ''
}

/** A range as a comment has it: `1 to 10,000`. */
const rangeOf = (table: object, option: string): string | undefined =>
  kindOf(table, option)?.range?.map(english).join(' to ')

const ranges = Object.keys(STRATEGY_OPTIONS).flatMap((option) =>
  kindOf(STRATEGY_OPTIONS, option)?.type === 'integer' ? [[option, rangeOf(STRATEGY_OPTIONS, option)]] : [],
)

test('the parsers of a dozen options tell a range or a default', () => {
  expect(defaults.length).toBeGreaterThan(11)
  expect(ranges.length).toBeGreaterThan(3)
})

test.each(ranges)('the comment of %s has its range', (option, range) => {
  expect(docOf(option ?? '')).toContain(`; ${range}.`)
})

const defaults = Object.keys(STRATEGY_OPTIONS).flatMap((option): [string, string][] => {
  const value = defaultOf(option)
  if (typeof value === 'number') return [[option, english(value)]]
  if (typeof value === 'boolean') return [[option, String(value)]]
  return typeof value === 'string' && option !== 'userAgent' ? [[option, `\`${value}\``]] : []
})

/** Undefined if the option is required. */
function defaultOf(option: string): unknown {
  try {
    return parse(STRATEGY_OPTIONS, option, undefined)
  } catch {
    return undefined
  }
}

test.each(defaults)('the comment of %s has its default', (option, value) => {
  expect(docOf(option)).toMatch(new RegExp(`Default ${value}[.;,]`))
})

test.each(Object.keys(CLIENT_OPTIONS).filter((option) => kindOf(CLIENT_OPTIONS, option)?.type === 'integer'))(
  'the comment of %s of the client has its default and range, as docs/client.md if the strategy has no such option',
  (option) => {
    const value = Number(parse(CLIENT_OPTIONS, option, undefined))
    const range = rangeOf(CLIENT_OPTIONS, option)
    expect(commentOf('client/options.ts', option)).toContain(`Default ${english(value)}; ${range}.`)
    if (option in STRATEGY_OPTIONS) return
    expect(read('docs/client.md')).toMatch(
      new RegExp(String.raw`^\| \`${option}\` \| \`${value}\` \| .*, ${range}\. `, 'm'),
    )
  },
)
