import { isLosslessNumber, parse } from 'lossless-json'

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

const MAX_DEPTH = 32

// An own property of one of these names turns into a prototype when an application merges objects.
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses JSON and keeps each number as the literal that was sent: `JSON.parse` reads 9007199254740993 as ...992,
 * which would make two people one. Refuses an object that gives one name two values.
 *
 * @returns a tree to be read by {@link isObject}, {@link numberLiteral} and {@link toJSONValue}
 * @throws SyntaxError when the text is not one JSON document; the message holds nothing of the text
 */
export function parseJSON(text: string): unknown {
  try {
    return parse(text)
  } catch {
    // The parser's own message quotes the text; nesting without end arrives here as a RangeError.
    throw new SyntaxError('not a JSON document')
  }
}

/** Whether the value is a JSON object: no array, null or number. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
}

/** An own member of a parsed object; what is inherited (`toString`) is not there. */
export function member(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The digits of a parsed number as they were sent, or undefined for anything else. */
export function numberLiteral(value: unknown): string | undefined {
  return isLosslessNumber(value) ? value.value : undefined
}

/**
 * Turns a parsed value into plain JSON for the application: exact numbers become numbers, others the string of their
 * digits; members that could become a prototype are left out.
 *
 * @throws SyntaxError when the value is nested deeper than 32 levels
 */
export function toJSONValue(value: unknown, depth = 0): JSONValue {
  if (depth > MAX_DEPTH) throw new SyntaxError('JSON nested too deeply')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  const literal = numberLiteral(value)
  if (literal !== undefined) return exactNumber(literal)
  if (Array.isArray(value)) return value.map((item) => toJSONValue(item, depth + 1))
  if (isObject(value)) return toJSONObject(value, depth)
  throw new SyntaxError('not a JSON value')
}

/** {@link toJSONValue} for an object. */
export function toJSONObject(object: Readonly<Record<string, unknown>>, depth = 0): JSONObject {
  const plain: JSONObject = {}
  for (const [key, value] of Object.entries(object)) {
    if (!FORBIDDEN_KEYS.has(key)) plain[key] = toJSONValue(value, depth + 1)
  }
  return plain
}

function exactNumber(literal: string): number | string {
  const number = Number(literal)
  return String(number) === literal ? number : literal
}
