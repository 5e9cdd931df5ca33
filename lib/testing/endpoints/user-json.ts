import type { ProviderBehaviours } from '../behaviours'
import type { FakeUser } from '../types'
import { HTML4_NAMES } from './html4-names'

/** Where pictures of relative paths are, and what `profile_cover` names. */
export const UPLOADS = '/content/uploads/'

const numberLiteral = /^(0|[1-9]\d*)$/

/** A user as JSON text, in the types and format of the mode. Ids keep every digit. */
export function userJSON(user: FakeUser, behaviours: ProviderBehaviours, origin: string): string {
  const record = recordOf(user, behaviours, origin)
  const json = JSON.stringify(behaviours.wrapUser === false ? record : { [behaviours.wrapUser]: record })
  const isNumber = numberLiteral.test(user.user_id) && !behaviours.stringTypes
  // The id is the first member. A JavaScript number would lose digits of a long one.
  return isNumber ? json.replace(`"user_id":"${user.user_id}"`, `"user_id":${user.user_id}`) : json
}

function recordOf(user: FakeUser, behaviours: ProviderBehaviours, origin: string): Record<string, unknown> {
  const text = (value: string | null) => (behaviours.encodeEntities ? encoded(value) : value)
  const picture = (value: string | null) => pictureOf(value, behaviours, origin)
  const ten = {
    user_id: user.user_id,
    user_name: text(user.user_name),
    user_email: user.user_email,
    user_firstname: text(user.user_firstname),
    user_lastname: text(user.user_lastname),
    user_gender: user.user_gender,
    user_birthdate: user.user_birthdate,
    user_picture: picture(user.user_picture),
    user_cover: picture(user.user_cover),
    user_verified: behaviours.stringTypes ? (user.user_verified ? '1' : '0') : user.user_verified,
  }
  return behaviours.extraFields ? { ...ten, ...extrasOf(user, behaviours, origin) } : ten
}

function extrasOf(user: FakeUser, behaviours: ProviderBehaviours, origin: string): Record<string, unknown> {
  const root = behaviours.relativePictures ? origin + UPLOADS.slice(0, -1) : origin
  const pictureURL = pictureOf(user.user_picture, { ...behaviours, relativePictures: false }, root)
  const biography = `Hello, I'm ${user.user_firstname ?? 'new'} & glad to be here.`
  return {
    user_registered: '2020-02-02 20:20:20',
    user_relationship: null,
    user_biography: behaviours.encodeEntities ? encoded(biography) : biography,
    user_website: '',
    // A placeholder for users without a picture, and on old servers for everyone.
    profile_picture: (!behaviours.blankPictures && pictureURL) || `${origin}/images/blank.svg`,
    // As broken as on deployed servers: the uploads root without a file.
    profile_cover: origin + UPLOADS,
  }
}

function pictureOf(value: string | null, behaviours: ProviderBehaviours, origin: string): string | null {
  const isOwn = value !== null && /^\/(?!\/)/.test(value)
  if (!isOwn) return value
  return behaviours.relativePictures ? value.slice(1) : origin + value
}

let names: Map<string, string> | undefined

/** Like PHP's htmlentities with quotes, which deployed servers use: what has no name in HTML 4.01 stays as it is. */
function encoded(value: string | null): string | null {
  names ??= readNames()
  return value === null ? null : Array.from(value, (character) => names?.get(character) ?? character).join('')
}

function readNames(): Map<string, string> {
  const found = new Map([["'", '&#039;']])
  let code = 0
  for (const [word] of HTML4_NAMES.matchAll(/\S+/g)) {
    if (/^\d/.test(word)) code = Number(word)
    else found.set(String.fromCodePoint(code++), `&${word};`)
  }
  return found
}
