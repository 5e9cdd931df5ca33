import { MAX_LEVELS } from '../../limits'

/**
 * A JSON value without loss: a number that JavaScript cannot hold exactly is the string of its digits.
 * @example
 * const state: JSONValue = { cart: 7, coupon: null }
 */
export type JSONValue = string | number | boolean | null | JSONValue[] | JSONObject

/**
 * A JSON object.
 * @example
 * const city = profile._json['user_city'] // whatever else the provider sent: JSONValue or undefined
 */
export interface JSONObject {
  [key: string]: JSONValue
}

// An own property of one of these names turns into a prototype when an application merges objects.
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype']
// These patterns are for valid JSON.
const STRING = /"(?:[^"\\]|\\.)*"/g
const NUMBER = /[-\d][-+.\deE]*/g
const STRING_OR_NUMBER = new RegExp(`${STRING.source}|${NUMBER.source}`, 'g')

/**
 * Parses JSON without loss (see {@link JSONValue}): `JSON.parse` reads 9007199254740993 as ...992, which would make two
 * people one. Drops members that could become a prototype. Rejects duplicate names, and more than `MAX_LEVELS`.
 * @throws SyntaxError when the text is not one JSON document; the message does not quote it
 */
export function parseJSON(text: string): JSONValue {
  // The text is parsed as it is first, because quotes would make `{9007199254740993: 1}` valid.
  const value = parse(text)
  const outsideStrings = text.replace(STRING, '')
  const isLossless = outsideStrings.match(NUMBER)?.every(isExact) ?? true
  const lossless = isLossless ? value : parse(text.replace(STRING_OR_NUMBER, quoteIfInexact))
  const members = outsideStrings.split(':').length - 1
  if (clean(lossless) !== members) throw new SyntaxError('JSON with a duplicate name')
  return lossless
}

/** The JSON as `JSON.parse` reads it, where each number is a number, rounded if need be. For text that `parseJSON` has read. */
export function parseRounded(text: string): JSONValue {
  const value = parse(text)
  clean(value)
  return value
}

function isExact(digits: string): boolean {
  return String(Number(digits)) === digits
}

function quoteIfInexact(token: string): string {
  return token.startsWith('"') || isExact(token) ? token : `"${token}"`
}

function parse(text: string): JSONValue {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw new SyntaxError('not a JSON document')
  }
}

// Removes members that could become a prototype. Returns how many members there were: fewer than the text has if a name
// occurs twice in an object, because the last one wins.
function clean(value: JSONValue, level = 1): number {
  if (typeof value !== 'object' || value === null) return 0
  if (level > MAX_LEVELS)
    throw new SyntaxError(`JSON of more than ${MAX_LEVELS} levels, which is a limit of this package`)
  const inner = Object.values(value)
  let members = Array.isArray(value) ? 0 : inner.length
  for (const one of inner) members += clean(one, level + 1)
  for (const key of FORBIDDEN_KEYS) Reflect.deleteProperty(value, key)
  return members
}

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
