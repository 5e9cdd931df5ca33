import { decodeHTMLStrict } from 'entities/decode'
import type { Profile as PassportProfile } from 'passport'
import { SocialLoginError } from './errors'
import { isObject, type JSONObject, type JSONValue, member, numberLiteral, toJSONObject } from './json'
import { parseURL } from './url'

/**
 * The provider's record of one person (specification, section 2.2), with the types that the specification leaves open
 * settled: the id is a string without loss, texts are strings as sent (entities not decoded) or null, the badge is a
 * boolean or null. Further fields that the provider sends are kept as they are.
 *
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
 * The Passport profile of a person. Texts are decoded for display (`O&#039;Brien` is `O'Brien`), freed of control
 * characters and cut to 500 characters: escape them all the same.
 *
 * @example
 * await users.findOrCreate({ provider: profile.provider, subject: profile.id, name: profile.displayName })
 */
export interface Profile extends PassportProfile {
  /** The strategy's `name`. */
  provider: string
  /** `user_id`, always a string. Key your accounts by `provider` and `id`, never by e-mail. */
  id: string
  username?: string
  /** First and last name, else the user name, else an empty string. */
  displayName: string
  name?: { familyName: string; givenName: string }
  /** The e-mail address. The provider does not say whether it was verified, so neither does the profile. */
  emails?: { value: string }[]
  /** The picture, if it is an absolute http(s) URL or lies below `uploadsURL`. */
  photos?: { value: string }[]
  /** Free text, possibly translated. */
  gender?: string
  /** `YYYY-MM-DD`, an existing day. */
  birthday?: string
  /** The cover picture, by the same rule as `photos`. */
  coverPhoto?: string
  /** `user_verified`: the badge beside the person's name. It says nothing about the e-mail address. */
  badge?: boolean
  /** The text of the provider's answer. */
  _raw: string
  /** The person's record as the provider sent it; numbers beyond 2^53 are strings. */
  _json: JSONObject
}

/**
 * One person as the provider answered: typed, as plain JSON, and as text.
 *
 * @example
 * const { user, json, raw } = await client.fetchUser('user/me', accessToken)
 */
export interface UserAnswer {
  readonly user: SocialLoginUser
  readonly json: JSONObject
  readonly raw: string
}

const ID = /^[A-Za-z0-9._:-]{1,128}$/
const WHOLE_NUMBER = /^[1-9][0-9]*$/
const MAX_TEXT_LENGTH = 500
// Texts that buggy servers and clients send for nobody.
const NOBODY = /^(undefined|null|nan|true|false)$/i
// Control characters, and those that turn the direction of the text behind them around.
const INVISIBLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Reads the answer of a profile endpoint: a bare record (the specification), or one inside `user_info` or `data` as
 * deployed servers send it.
 *
 * @param answer what `parseJSON` returned
 * @throws SocialLoginError `profile_unauthorized` for `{"error": true}`, `profile_invalid` without a usable `user_id`
 */
export function readUser(answer: unknown, raw: string): UserAnswer {
  if (isObject(answer) && member(answer, 'error') === true)
    throw new SocialLoginError('profile_unauthorized', 'profile')
  const record = unwrap(answer)
  const id = record && readID(member(record, 'user_id'))
  if (!record || id === undefined) throw new SocialLoginError('profile_invalid', 'profile')
  const json = toJSONObject(record)
  return { user: toUser(record, json, id), json, raw }
}

function unwrap(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(answer)) return undefined
  if (Object.hasOwn(answer, 'user_id')) return answer
  return [member(answer, 'user_info'), member(answer, 'data')].find(isObject)
}

/** What looks like a number must be a positive whole one: 0, -1 and 1.5 are a server's ways to say "nobody". */
function readID(value: unknown): string | undefined {
  const id = typeof value === 'string' ? value : numberLiteral(value)
  if (id === undefined || !ID.test(id) || NOBODY.test(id)) return undefined
  const looksLikeNumber = !Number.isNaN(Number(id))
  return looksLikeNumber && !WHOLE_NUMBER.test(id) ? undefined : id
}

function toUser(record: Readonly<Record<string, unknown>>, json: JSONObject, id: string): SocialLoginUser {
  const text = (name: string): string | null => {
    const value = member(record, name)
    return typeof value === 'string' ? value : (numberLiteral(value) ?? null)
  }
  return {
    ...json,
    user_id: id,
    user_name: text('user_name'),
    user_email: text('user_email'),
    user_firstname: text('user_firstname'),
    user_lastname: text('user_lastname'),
    user_gender: text('user_gender'),
    user_birthdate: text('user_birthdate'),
    user_picture: text('user_picture'),
    user_cover: text('user_cover'),
    user_verified: readFlag(json['user_verified']),
  }
}

function readFlag(value: JSONValue | undefined): boolean | null {
  if (value === true || value === 1 || value === '1' || value === 'true') return true
  if (value === false || value === 0 || value === '0' || value === 'false' || value === '') return false
  return null
}

/**
 * Maps a person onto Passport's profile.
 *
 * @param provider the strategy's `name`
 * @param uploadsURL root of relative pictures; without it they are left out
 */
export function toProfile(answer: UserAnswer, provider: string, uploadsURL?: URL): Profile {
  const { user, json, raw } = answer
  const username = displayText(user.user_name)
  const givenName = displayText(user.user_firstname)
  const familyName = displayText(user.user_lastname)
  const gender = displayText(user.user_gender)
  const email = readEmail(user.user_email)
  const birthday = readDate(user.user_birthdate)
  const photo = readPicture(json['user_picture'], json['profile_picture'], uploadsURL)
  const coverPhoto = readPicture(json['user_cover'], json['profile_cover'], uploadsURL)
  return {
    provider,
    id: user.user_id,
    displayName: [givenName, familyName].filter(Boolean).join(' ') || username,
    ...(username && { username }),
    ...((givenName || familyName) && { name: { familyName, givenName } }),
    ...(email && { emails: [{ value: email }] }),
    ...(photo && { photos: [{ value: photo }] }),
    ...(gender && { gender }),
    ...(birthday && { birthday }),
    ...(coverPhoto && { coverPhoto }),
    ...(user.user_verified !== null && { badge: user.user_verified }),
    _raw: raw,
    _json: json,
  }
}

// Decoded first: an entity may hide a control character. Deployed servers encode names before they store them.
function displayText(value: string | null): string {
  if (!value) return ''
  const text = decodeHTMLStrict(value).replace(INVISIBLE, '').trim()
  return text.length <= MAX_TEXT_LENGTH ? text : Array.from(text).slice(0, MAX_TEXT_LENGTH).join('')
}

function readEmail(value: string | null): string | undefined {
  const email = displayText(value)
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined
}

function readDate(value: string | null): string | undefined {
  if (!value || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const date = new Date(value)
  // A day that does not exist (30 February) rolls over, a 13th month may be read as a day, or it is no date at all.
  const exists = date.getUTCMonth() + 1 === Number(value.slice(5, 7)) && date.getUTCDate() === Number(value.slice(8))
  return exists ? value : undefined
}

/** The first usable one of the specified field and the absolute twin that deployed servers send beside it. */
function readPicture(value: JSONValue | undefined, twin: JSONValue | undefined, uploadsURL?: URL): string | undefined {
  return absolutePicture(value) ?? absolutePicture(twin) ?? relativePicture(value, uploadsURL)
}

function absolutePicture(value: JSONValue | undefined): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value.trim())) return undefined
  const url = parseURL(decodeHTMLStrict(value.trim()))
  // A URL that ends in "/" is an uploads folder: the server had no picture to name.
  if (!url || url.username || url.password || url.pathname.endsWith('/')) return undefined
  return url.href
}

function relativePicture(value: JSONValue | undefined, uploadsURL?: URL): string | undefined {
  if (typeof value !== 'string' || !uploadsURL) return undefined
  const url = parseURL(decodeHTMLStrict(value.trim()), uploadsURL.href)
  return url?.href.startsWith(uploadsURL.href) && !url.pathname.endsWith('/') ? url.href : undefined
}
