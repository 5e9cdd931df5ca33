import { SocialLoginError } from '../../errors'
import { MAX_ID_LENGTH } from '../../limits'
import { isObject, type JSONObject, type JSONValue, ownProperty, parseRounded } from './json'
import { explainOthers, nameToShow } from './names'

/**
 * The provider's record of one user (specification, section 2.2), with the types that the specification leaves open
 * settled: the id is a string without loss, texts are strings as sent (entities not decoded) or null, the badge is a
 * boolean or null. Further fields that the provider sends are kept as they are.
 * @example
 * const { user_id, user_name } = await client.getCurrentUser(accessToken)
 */
export interface SocialLoginUser {
  readonly user_id: string
  readonly user_name: string | null
  readonly user_email: string | null
  readonly user_firstname: string | null
  readonly user_lastname: string | null
  readonly user_gender: string | null
  readonly user_birthdate: string | null
  readonly user_picture: string | null
  readonly user_cover: string | null
  readonly user_verified: boolean | null
  readonly [field: string]: JSONValue
}

/**
 * One user in the provider's response: typed, as plain JSON, and as text.
 * @example
 * const { user, json, raw } = await client.fetchUser('user/me', accessToken)
 */
export interface UserResponse {
  readonly user: SocialLoginUser
  readonly json: JSONObject
  readonly raw: string
}

/**
 * Returns the record of a user from the JSON of a profile endpoint, for a provider that does not send it at the top,
 * in `user_info` or in `data`, or that uses other names. `provider` is that of the profile; a client has none.
 * @example
 * const userRecord: UserRecord = (json) => json.response.profile
 */
export type UserRecord = (
  // The type of what JSON.parse returns, so that a path of members compiles.
  json: ReturnType<typeof JSON.parse>,
  provider?: string,
) => JSONObject

export interface PersonRecord {
  readonly record: JSONObject
  readonly wrapper: 'user_info' | 'data' | false
}

const ID = new RegExp(`^[A-Za-z0-9._:-]{1,${MAX_ID_LENGTH}}$`)
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
// PHP and others write a whole number as a fraction of zeros, which is as exact.
const WHOLE_NUMBER = /^(\d+)(?:\.0+)?$/
// Texts that servers send in place of an id.
const NOBODY = /^(undefined|null|nan|true|false|0[0.]*|-[\d.]+)$/i

/**
 * Reads a bare record (the specification), or one inside `user_info` or `data`, as deployed servers send it.
 * @throws SocialLoginError `profile_invalid` without a usable `user_id`
 */
export function parseUser(body: JSONValue, raw: string, userRecord?: UserRecord): UserResponse {
  const recordIn = (response: JSONValue): JSONObject => {
    const record = userRecord ? callUserRecord(userRecord, response) : findRecord(response)?.record
    if (!record) throw noRecord(response)
    return record
  }
  const json = recordIn(body)
  const id = parseID(json, () => recordIn(parseRounded(raw)))
  if (id === undefined) throw new SocialLoginError('profile_invalid', 'profile', { hint: NO_ID + exponentIn(json) })
  return { user: toUser(json, id), json, raw }
}

function callUserRecord(userRecord: UserRecord, body: JSONValue): JSONObject {
  let record: JSONObject
  try {
    record = userRecord(body)
  } catch {
    // Its error may quote the profile.
    throw noRecord(body, 'The function userRecord threw an error. ')
  }
  if (!isObject(record)) throw noRecord(body, 'The function userRecord returned no object. ')
  return record
}

const NO_ID = `It has no usable user_id (a positive whole number, or 1 to ${MAX_ID_LENGTH} of the characters A-Z a-z 0-9 . _ : -).`

function noRecord(body: JSONValue, problem = ''): SocialLoginError {
  const path = pathToUserID(body)
  const place =
    path === undefined
      ? whatInstead(body)
      : `The response has a user_id at ${path}${explainOthers(path)}: let the option userRecord return its object.`
  return new SocialLoginError('profile_invalid', 'profile', { hint: problem + place })
}

/** For a number such as 4.3e1, whose last digits may have been rounded away. */
function exponentIn(json: JSONObject): string {
  return textOf(json, 'user_id')?.match(/^\d+(\.\d+)?e[+-]?\d+$/i)
    ? ' A number with an exponent is not read, because its last digits may be lost: the provider must send all digits.'
    : ''
}

/** Deployed servers send no object for a user who is gone. */
function whatInstead(body: JSONValue): string {
  if (isObject(body)) return NO_ID
  const kind = Array.isArray(body) ? 'a list' : body === null ? 'null' : `a ${typeof body}`
  return `It is ${kind} instead of an object, as for a user who is banned or gone.`
}

export function findRecord(body: JSONValue | undefined): PersonRecord | undefined {
  if (!isObject(body)) return undefined
  if (Object.hasOwn(body, 'user_id')) return { record: body, wrapper: false }
  for (const wrapper of ['user_info', 'data'] as const) {
    const record = ownProperty(body, wrapper)
    if (isObject(record) && Object.hasOwn(record, 'user_id')) return { record, wrapper }
  }
  return undefined
}

/** Where the JSON has a `user_id`, such as `response.profile.user_id`. The path is safe to show (see `nameToShow`). */
export function pathToUserID(json: JSONValue, levels = 4): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  if (Object.hasOwn(json, 'user_id')) return 'user_id'
  if (levels === 0) return undefined
  for (const [name, value] of Object.entries(json)) {
    const path = pathToUserID(value, levels - 1)
    if (path !== undefined) return `${Array.isArray(json) ? name : nameToShow(name)}.${path}`
  }
  return undefined
}

// A number must be positive and whole, because servers send 0, -1 or 1.5 for "no user". A text may look like a number,
// as one of some hundred hexadecimal ids does (`374e76010383810`), and `parseJSON` makes texts of some numbers: which of
// the two it was, the same record tells as `JSON.parse` reads it.
function parseID(json: JSONObject, rounded: () => JSONObject): string | undefined {
  const id = textOf(json, 'user_id')
  if (id === null || !ID.test(id) || NOBODY.test(id) || isReserved(id)) return undefined
  const [, whole] = WHOLE_NUMBER.exec(id) ?? []
  // Most ids are digits alone, which are the same as a text and as a number.
  if (whole === id || !NUMBER.test(id)) return id
  return typeof rounded()['user_id'] === 'number' ? whole : id
}

/** Ids that mean something else as a property of an object (`__proto__`) or as a part of a path (`..`). */
function isReserved(id: string): boolean {
  return id === 'prototype' || id in Object.prototype || /^\.+$/.test(id)
}

function toUser(json: JSONObject, id: string): SocialLoginUser {
  return {
    ...json,
    user_id: id,
    user_name: textOf(json, 'user_name'),
    user_email: textOf(json, 'user_email'),
    user_firstname: textOf(json, 'user_firstname'),
    user_lastname: textOf(json, 'user_lastname'),
    user_gender: textOf(json, 'user_gender'),
    user_birthdate: textOf(json, 'user_birthdate'),
    user_picture: textOf(json, 'user_picture'),
    user_cover: textOf(json, 'user_cover'),
    user_verified: parseFlag(json['user_verified']),
  }
}

function textOf(json: JSONObject, name: string): string | null {
  const value = ownProperty(json, name)
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

function parseFlag(value: JSONValue | undefined): boolean | null {
  if (value === true || value === 1 || value === '1' || value === 'true') return true
  if (value === false || value === 0 || value === '0' || value === 'false' || value === '') return false
  return null
}
