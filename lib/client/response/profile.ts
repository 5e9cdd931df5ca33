import { MAX_EMAIL_LENGTH, MAX_RAW_LENGTH, MAX_TEXT_LENGTH } from '../../limits'
import { checkArguments, object, optional, text } from '../../values'
import { parseURL, resolvePath } from '../url'
import { parseUploadsURL } from '../url-options'
import { isObject, type JSONObject, type JSONValue } from './json'
import type { UserResponse } from './user'

/**
 * The profile of a user, in the shape that Passport's strategies have in common. Texts are decoded for display
 * (`O&#039;Brien` is `O'Brien`), freed of control characters and cut to 500 characters: escape them all the same.
 * @example
 * await users.findOrCreate({ provider: profile.provider, id: profile.id, displayName: profile.displayName })
 */
export interface Profile {
  /** The strategy's `name`. */
  provider: string
  /** `user_id`, always a string. Identify accounts by `provider` and `id`, never by e-mail. */
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
  /** `user_verified`: the badge next to the user's name. Unrelated to the e-mail address. */
  badge?: boolean
  /** The text of the provider's response. */
  _raw: string
  /** The user's record as the provider sent it; numbers beyond 2^53 are strings. */
  _json: JSONObject
}

// Control characters, those that change the direction of the text around them, and halves of surrogate pairs.
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Cs}]/gu
// Characters that show nothing: joiners, fillers and the like; white space; the empty cell of Braille; the anchors of
// annotations and objects; joiners and blanks of old scripts; and a note without a head.
const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\s\u2800\u2d7f\ufff9-\ufffc\u{1107f}\u{13437}\u{13441}\u{13442}\u{16fe4}\u{1d159}`
const ONLY_INVISIBLE = new RegExp(`^[${INVISIBLE}]*$`, 'u')
const EMAIL_PART = String.raw`[^@\p{Cc}\p{Bidi_Control}\p{Cs}${INVISIBLE}]+`
const EMAIL = new RegExp(`^${EMAIL_PART}@${EMAIL_PART}$`, 'u')

/**
 * Options of {@link toProfile}.
 * @example
 * const user = await client.fetchUser('user/me', accessToken)
 * const profile = toProfile(user, { provider: 'social-login', uploadsURL: 'https://social.example/content/uploads/' })
 */
export interface ProfileOptions {
  /** The profile's `provider`. Default `social-login`, as the strategy's `name`. */
  readonly provider?: string
  /** Root of the provider's uploads, for pictures given as relative paths. Default: these are left out. */
  readonly uploadsURL?: string
}

const TO_PROFILE = {
  answer: {
    ...object('what fetchUser resolves to, with the members user, json and raw'),
    fits: (one: unknown) => {
      const { json, user } = Object(one)
      return isObject(json) && typeof Object(user)['user_id'] === 'string'
    },
  },
  options: object('an object of options', { provider: optional(text), uploadsURL: optional(text) }),
}

/**
 * Maps a response of `SocialLoginClient.fetchUser` to Passport's profile, exactly as the strategy does: decodes texts,
 * removes control characters, checks pictures.
 * @example
 * const profile = toProfile(await client.fetchUser('user/me', accessToken))
 * @throws TypeError for wrong arguments, such as a `uploadsURL` that is not an http(s) URL
 */
export function toProfile(answer: UserResponse, options: ProfileOptions = {}): Profile {
  checkArguments('toProfile', TO_PROFILE, [answer, options])
  const { provider = 'social-login', uploadsURL } = options
  return profileOf(answer, provider, parseUploadsURL(uploadsURL, 'uploadsURL', { allowInsecureHTTP: true }))
}

export function profileOf(answer: UserResponse, provider: string, uploadsURL: URL | undefined): Profile {
  const { user, json, raw } = answer
  const username = displayText(user.user_name)
  const givenName = displayText(user.user_firstname)
  const familyName = displayText(user.user_lastname)
  const gender = displayText(user.user_gender)
  const email = parseEmail(user.user_email)
  const birthday = parseDate(user.user_birthdate)
  const photo = parsePicture(json['user_picture'], json['profile_picture'], uploadsURL)
  const coverPhoto = parsePicture(json['user_cover'], json['profile_cover'], uploadsURL)
  const displayName = [givenName, familyName].filter(Boolean).join(' ') || username
  const profile: Profile = { provider, id: user.user_id, displayName, _raw: raw, _json: json }
  if (username) profile.username = username
  if (givenName || familyName) profile.name = { familyName, givenName }
  if (email) profile.emails = [{ value: email }]
  if (photo) profile.photos = [{ value: photo }]
  if (gender) profile.gender = gender
  if (birthday) profile.birthday = birthday
  if (coverPhoto) profile.coverPhoto = coverPhoto
  if (user.user_verified !== null) profile.badge = user.user_verified
  return profile
}

// The text is decoded first, because an entity may hide a control character; deployed servers store names encoded.
function displayText(value: string | null): string {
  const text = decodeText(value ?? '')
    .replace(CONTROLS, '')
    .trim()
  // "Is this you?" must not ask about a name that no one can see. Within a name, such characters have their use.
  if (ONLY_INVISIBLE.test(text)) return ''
  // The text is cut by code points, so that no half of a pair is left.
  return Array.from(text).slice(0, MAX_TEXT_LENGTH).join('')
}

function decodeText(value: string): string {
  return decodeEntities(value.slice(0, MAX_RAW_LENGTH))
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  // Its tables take milliseconds to load, so it is loaded when first needed.
  const { decodeHTMLStrict }: typeof import('entities/decode') = require('entities/decode')
  return decodeHTMLStrict(text)
}

/** An address is never cleaned, because with characters removed it could be someone else's. */
function parseEmail(value: string | null): string | undefined {
  const email = decodeText(value ?? '').trim()
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? email : undefined
}

function parseDate(value: string | null): string {
  const [date = '', , month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value ?? '') ?? []
  // A day that does not exist (30 February) rolls over, and a 13th month may be read as a day.
  const read = new Date(date)
  return read.getUTCMonth() + 1 === Number(month) && read.getUTCDate() === Number(day) ? date : ''
}

// The picture of the specified field, or else the absolute URL that deployed servers send in a twin field. That is a
// placeholder for users without a picture, in old versions for everyone; it is recognised by lying outside of
// `uploadsURL`, where that is known.
function parsePicture(value: JSONValue | undefined, twin: JSONValue | undefined, uploadsURL?: URL): string | undefined {
  const specified = absolutePicture(value) ?? relativePicture(value, uploadsURL)
  if (specified !== undefined) return specified
  const other = absolutePicture(twin)
  return uploadsURL && !other?.startsWith(uploadsURL.href) ? undefined : other
}

function absolutePicture(value: JSONValue | undefined): string | undefined {
  const text = pictureText(value)
  // Without a scheme, it is that of a page by https.
  const absolute = text.startsWith('//') ? `https:${text}` : text
  const url = /^https?:/i.test(absolute) ? parseURL(absolute) : undefined
  // A URL that ends in "/" is the uploads folder: the user has no picture.
  if (!url || url.username || url.password || url.pathname.endsWith('/')) return undefined
  return url.href
}

function relativePicture(value: JSONValue | undefined, uploadsURL?: URL): string | undefined {
  if (!uploadsURL) return undefined
  const url = resolvePath(pictureText(value), uploadsURL.href)
  return url?.href.startsWith(uploadsURL.href) && !url.pathname.endsWith('/') ? url.href : undefined
}

function pictureText(value: JSONValue | undefined): string {
  return typeof value === 'string' && value.length <= MAX_RAW_LENGTH ? decodeEntities(value.trim()) : ''
}
