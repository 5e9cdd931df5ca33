/**
 * A JSON value without loss: a number that JavaScript cannot hold exactly is the string of its digits.
 *
 * @example
 * const state: JSONValue = { cart: 7, coupon: null }
 */
export type JSONValue = string | number | boolean | null | JSONValue[] | JSONObject

/**
 * A JSON object.
 *
 * @example
 * const city = profile._json['user_city'] // whatever else the provider sent: JSONValue or undefined
 */
export interface JSONObject {
  [key: string]: JSONValue
}

const MAX_DEPTH = 33
const MAX_VALUES = 500

// An own property of one of these names turns into a prototype when an application merges objects.
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype']
const NUMBER = /[-+.\deE]+/y

/**
 * Parses JSON without loss: a number that JavaScript cannot hold exactly becomes the string of its digits. `JSON.parse`
 * reads 9007199254740993 as ...992, which would make two people one. Leaves out members that could become a prototype.
 * Rejects duplicate member names, and documents that are {@link isTooComplex}.
 *
 * @throws SyntaxError when the text is not one JSON document; the message does not quote it
 */
export function parseJSON(text: string): JSONValue {
  const { isTooComplex, members, inexact } = outlineOf(text)
  if (isTooComplex) throw new SyntaxError('JSON has too many values, or is nested too deeply')
  const value = parse(text)
  if (clean(value) !== members) throw new SyntaxError('JSON with a duplicate name')
  if (inexact.length === 0) return value
  // Only a valid document is changed: quotes would make `{9007199254740993: 1}` one.
  const exact = parse(withQuotes(text, inexact))
  clean(exact)
  return exact
}

/**
 * Whether JSON has more than 500 values or 33 levels. A person's record has some twenty values and two levels; 64 KiB
 * of members or brackets would occupy a parser for milliseconds.
 */
export function isTooComplex(text: string): boolean {
  return outlineOf(text).isTooComplex
}

/** What one pass over the text finds outside its strings. It is true of valid JSON only. */
interface Outline {
  readonly isTooComplex: boolean
  readonly members: number
  /** The numbers that JavaScript cannot hold exactly. */
  readonly inexact: readonly Literal[]
}

interface Literal {
  readonly at: number
  readonly text: string
}

function outlineOf(text: string): Outline {
  let depth = 0
  let values = 1
  let members = 0
  let numbers = 0
  const inexact: Literal[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') at = endOfString(text, at)
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    else if (character === ':') members++
    else if (character === '-' || (character >= '0' && character <= '9')) {
      const literal = { at, text: numberAt(text, at) }
      if (!isExact(literal.text)) inexact.push(literal)
      at += literal.text.length - 1
      numbers++
    }
    if (character === ',' || character === '[' || character === '{') values++
    if (depth > MAX_DEPTH || values > MAX_VALUES || numbers > MAX_VALUES) {
      return { isTooComplex: true, members, inexact }
    }
  }
  return { isTooComplex: false, members, inexact }
}

/** Index of the end of the string that starts here, or of the text. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
  } while (isEscaped(text, end))
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at
  // Leaves `lastIndex` behind the match.
  NUMBER.test(text)
  return text.slice(at, NUMBER.lastIndex)
}

function isExact(literal: string): boolean {
  return String(Number(literal)) === literal
}

function withQuotes(text: string, literals: readonly Literal[]): string {
  const parts: string[] = []
  let end = 0
  for (const literal of literals) {
    parts.push(text.slice(end, literal.at), `"${literal.text}"`)
    end = literal.at + literal.text.length
  }
  return parts.join('') + text.slice(end)
}

function parse(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw new SyntaxError('not a JSON document')
  }
}

/**
 * Removes members that could become a prototype. Returns how many members there were: fewer than the text has if a name occurs
 * twice in an object, because the last one wins.
 */
function clean(value: JSONValue): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  let members = Array.isArray(value) ? 0 : inner.length
  for (const one of inner) members += clean(one)
  for (const key of FORBIDDEN_KEYS) Reflect.deleteProperty(value, key)
  return members
}

/** Whether the value is an object with members: neither an array nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member of a parsed object; inherited ones (`toString`) do not count. */
export function ownProperty<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The value as JSON; undefined for circular objects and bigints. The runtime's own message would name properties. */
export function tryStringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
