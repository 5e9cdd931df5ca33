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

const MAX_DEPTH = 33
const MAX_VALUES = 500

// An own property of one of these names turns into a prototype when an application merges objects.
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses JSON and keeps each number as the literal that was sent: `JSON.parse` reads 9007199254740993 as ...992, which
 * would make two people one. Rejects duplicate member names, and documents that are {@link isTooComplex}.
 *
 * @returns a tree to read with {@link isObject}, {@link numberLiteral} and {@link toJSONValue}
 * @throws SyntaxError when the text is not one JSON document; the message does not quote it
 */
export function parseJSON(text: string): unknown {
  if (isTooComplex(text)) throw new SyntaxError('JSON has too many values, or is nested too deeply')
  try {
    return parse(text)
  } catch {
    // The parser's own message quotes the text.
    throw new SyntaxError('not a JSON document')
  }
}

/**
 * Whether JSON has more than 500 values or 33 levels. A person's record has some twenty values and two levels; 64 KiB
 * of members or brackets would occupy a parser for milliseconds.
 */
export function isTooComplex(text: string): boolean {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (character === ',' || character === '[' || character === '{') values++
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true
  }
  return false
}

/** Index of the end of the string that starts here, or of the text. */
function endOfString(text: string, start: number): number {
  let end = start
  do {
    end = text.indexOf('"', end + 1)
  } while (end > 0 && isEscaped(text, end))
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Whether the value is a JSON object: not an array, null or a number. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
}

/** An own member of a parsed object; inherited ones (`toString`) do not count. */
export function ownProperty(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The digits of a parsed number as they were sent, or undefined for anything else. */
export function numberLiteral(value: unknown): string | undefined {
  return isLosslessNumber(value) ? value.value : undefined
}

/**
 * Turns a parsed value into plain JSON for the application: exact numbers become numbers, others the string of their
 * digits; members that could become a prototype are left out.
 */
export function toJSONValue(value: unknown): JSONValue {
  if (typeof value === 'string') return flat(value)
  if (value === null || typeof value === 'boolean') return value
  const literal = numberLiteral(value)
  if (literal !== undefined) return exactNumber(literal)
  if (Array.isArray(value)) return value.map(toJSONValue)
  if (isObject(value)) return toJSONObject(value)
  throw new SyntaxError('not a JSON value')
}

/**
 * Flattens a string that the parser concatenated character by character: V8 keeps 32 bytes for each, 2 MB for 64 KiB,
 * until one of them is read.
 */
function flat(text: string): string {
  text.charCodeAt(0)
  return text
}

/** {@link toJSONValue} for an object. */
export function toJSONObject(object: Readonly<Record<string, unknown>>): JSONObject {
  const plain: JSONObject = {}
  for (const [key, value] of Object.entries(object)) {
    if (!FORBIDDEN_KEYS.has(key)) plain[key] = toJSONValue(value)
  }
  return plain
}

function exactNumber(literal: string): number | string {
  const number = Number(literal)
  return String(number) === literal ? number : literal
}
