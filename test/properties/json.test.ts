import fc from 'fast-check'
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { parseJSON } from '../../lib/client/response/json'
import { runs } from '../support/runs'

const refused = Symbol('refused')

function valueOr<T>(work: () => T): T | typeof refused {
  try {
    return work()
  } catch {
    return refused
  }
}

/** What `parseJSON` promises, by a parser that reads character by character and keeps every literal. */
function expected(text: string): unknown {
  const value = valueOr(() => parse(text))
  if (value === refused || hasDuplicate(text, value) || levelsOf(value) > 33) return refused
  return withoutLoss(value)
}

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return 0
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf))
}

/** This parser accepts a duplicate name with an equal value. */
function hasDuplicate(text: string, value: unknown): boolean {
  const members = (json: string): number => json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length
  return members(text) > members(stringify(value) ?? '')
}

function withoutLoss(value: unknown): unknown {
  if (isLosslessNumber(value)) return String(Number(value.value)) === value.value ? Number(value.value) : value.value
  if (Array.isArray(value)) return value.map(withoutLoss)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !/^(__proto__|constructor|prototype)$/.test(name))
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutLoss(inner)]))
}

const digits = fc.stringMatching(/^(0|[1-9]\d{0,30})$/)
const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.constantFrom('', '.0', '.5', '.10', '.1000000000000000055'),
    fc.constantFrom('', '', 'e0', 'E+2', 'e-400'),
  )
  .map((parts) => parts.join(''))
const text = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('user_id', '"', '\\', '1e400', '{"a":1}', ':,[]'))
  .map((value) => JSON.stringify(value))
const space = fc.constantFrom('', '', '', ' ', '\n\t\r ')
const { document } = fc.letrec<{ document: string; array: string; object: string }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small' },
    number,
    text,
    fc.constantFrom('true', 'false', 'null'),
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(space, fc.array(tie('document'), { maxLength: 5 }))
    .map(([gap, all]) => `[${gap}${all.join(`${gap},`)}${gap}]`),
  object: fc
    .tuple(space, fc.uniqueArray(fc.tuple(text, tie('document')), { maxLength: 5, selector: ([name]) => name }))
    .map(([gap, all]) => `{${gap}${all.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(',')}${gap}}`),
}))

const valid = runs(20_000, 1_000_000)
test(`${valid.numRuns} JSON documents (seed ${valid.seed}) are read as by a lossless parser`, () => {
  fc.assert(
    fc.property(document, (json) => {
      expect(valueOr(() => parseJSON(json))).toEqual(expected(json))
    }),
    valid,
  )
}, 1_200_000)

const piece = fc.oneof(
  number,
  text,
  fc.constantFrom(...'[]{}:,"\\-+.eE0 9', 'true', 'nul', '\u00a0', '\ufeff', '//', '01'),
)
const change = fc.record({ at: fc.nat(400), drop: fc.nat(3), insert: piece })

function changed(json: string, { at, drop, insert }: { at: number; drop: number; insert: string }): string {
  const start = at % (json.length + 1)
  return json.slice(0, start) + insert + json.slice(start + drop)
}

const broken = runs(20_000, 1_000_000)
test(`${broken.numRuns} changed documents (seed ${broken.seed}) are read or refused as by a lossless parser`, () => {
  let accepted = 0
  fc.assert(
    fc.property(document, fc.array(change, { minLength: 1, maxLength: 3 }), (json, changes) => {
      const result = valueOr(() => parseJSON(changes.reduce(changed, json)))
      if (result !== refused) accepted++
      expect(result).toEqual(expected(changes.reduce(changed, json)))
    }),
    broken,
  )
  expect(accepted).toBeGreaterThan(broken.numRuns / 100)
  expect(accepted).toBeLessThan(broken.numRuns)
}, 1_200_000)
