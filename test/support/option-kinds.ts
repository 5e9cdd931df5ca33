import { canary } from './options'

// What the parser of an option shows of itself: by the TypeError with which it refuses a value, and by what it accepts.

/** A simple kind of option: its values are known without knowing the option. */
export interface Kind {
  readonly type: 'integer' | 'choice' | 'boolean' | 'function' | 'text'
  /** The first and the last number of the range, or the lengths of the shortest and the longest text. */
  readonly range?: readonly [number, number]
  readonly choices?: readonly string[]
  readonly good: readonly unknown[]
  readonly bad: readonly unknown[]
}

const NOT_INTEGER = [null, '1', canary, [], {}, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1n]
const NOT_BOOLEAN = [null, 0, 1, '', 'true', canary, [], {}, () => true]
const NOT_FUNCTION = [null, true, 1, '', canary, [], {}]
const NOT_CHOICE = [null, true, 1, '', canary, [], {}]
/** What is no text, or only white space. */
const NOT_TEXT = [null, 1, [canary], { toString: () => canary }, Symbol('x'), '', ' ', '\n']

/** What the parser of an option returns. @throws TypeError with its message */
export function parse(table: object, option: string, value: unknown): unknown {
  return Reflect.apply(Reflect.get(table, option), undefined, [value, option, {}])
}

/** The message with which the parser of an option refuses a value. */
export function refusalOf(table: object, option: string, value: unknown): string {
  try {
    parse(table, option, value)
  } catch (error) {
    return error instanceof TypeError ? error.message : 'not a TypeError'
  }
  return 'accepted'
}

/** The simple kind of an option; undefined if its parser knows more than that. */
export function kindOf(table: object, option: string): Kind | undefined {
  const message = refusalOf(table, option, Symbol.iterator)
  if (message === `${option} must be true or false`) return { type: 'boolean', good: [true, false], bad: NOT_BOOLEAN }
  if (message === `${option} must be a function`) return { type: 'function', good: [() => {}], bad: NOT_FUNCTION }
  const [, first, last] = / must be a whole number from ([\d,]+) to ([\d,]+)$/.exec(message) ?? []
  if (first !== undefined && last !== undefined) return integer(numberOf(first), numberOf(last))
  const [, choices] = / must be one of: (.+)$/.exec(message) ?? []
  if (choices !== undefined) return choice(choices.split(', '))
  if (message !== `${option} must be a string` || refusalOf(table, option, 'ä b') !== 'accepted') return undefined
  const [, longest] = / must have at most ([\d,]+) characters$/.exec(refusalOf(table, option, 'x'.repeat(1e6))) ?? []
  return longest === undefined ? undefined : text(numberOf(longest))
}

function integer(first: number, last: number): Kind {
  const bad = [...NOT_INTEGER, first - 1, -last, last + 1]
  return { type: 'integer', range: [first, last], good: [first, last], bad }
}

function choice(choices: readonly string[]): Kind {
  const similar = choices.flatMap((value) => [value.toUpperCase(), `${value}/`, ` ${value}`, [value]])
  return { type: 'choice', choices, good: choices, bad: [...NOT_CHOICE, ...similar] }
}

function text(longest: number): Kind {
  const bad = [...NOT_TEXT, ` ${canary}`, `${canary}\n`, 'x'.repeat(longest + 1)]
  return { type: 'text', range: [1, longest], good: ['x', 'x'.repeat(longest)], bad }
}

function numberOf(english: string): number {
  return Number(english.replaceAll(',', ''))
}
