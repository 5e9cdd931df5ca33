import { isPrivateHost } from '../client/http/address'
import { type JSONObject, type JSONValue, ownProperty } from '../client/response/json'
import { readProfile } from '../client/response/responses'
import { findRecord, type PersonRecord, parseUser } from '../client/response/user'
import { parseURL } from '../client/url'
import { isLoopback } from '../client/url-options'
import { requestUserInfo, requestUserMe } from './endpoints'
import type { Examination, RecordedMode } from './examination'
import type { ProbeResponse } from './probe'
import { contentOf, kindOf, obstacleIn, reasonOf, recordForm, refuses, unreadable } from './response'

const TEXTS = ['user_name', 'user_firstname', 'user_lastname', 'user_biography']
const PICTURES = ['user_picture', 'user_cover']
const EXTRAS = ['user_registered', 'user_relationship', 'user_biography', 'user_website', 'profile_picture']
const ENTITY = /&(#\d+|#x[\da-f]+|[a-z]+\d*);/i
// Matches what deployed servers encode, if they encode: PHP knows names for Latin letters, and leaves other alphabets
// as they are.
const PLAIN = /["'<>&\u{a0}-\u{ff}]/iu

/**
 * Reads the profile with the token of a login, at both endpoints: the answers to an invented token may have suggested
 * the wrong one.
 * @returns the response with the user; undefined if there was none
 */
export async function examinePerson(
  baseURL: URL,
  token: string,
  examination: Examination,
): Promise<ProbeResponse | undefined> {
  const { probe, mode, options } = examination
  examination.progress('Reading the profile')
  const userMe = await requestUserMe(probe, baseURL, token)
  const userInfo = await requestUserInfo(probe, baseURL, token)
  const [byUserMe, byUserInfo] = [personIn(userMe), personIn(userInfo)]
  const usual = byUserMe || (!byUserInfo && options.profileEndpoint === undefined) ? userMe : userInfo
  const response = [userMe, userInfo].find((each) => obstacleIn(each, readProfile) === undefined) ?? usual
  const found = response === userMe ? byUserMe : byUserInfo
  recordForm(response, examination)
  if (found === undefined) {
    reportNobody(response, examination)
    return undefined
  }
  mode.htmlAtStatus200 = false
  reportEndpoint(response === userMe ? undefined : userMe, examination)
  recordPerson(found, baseURL.origin, mode)
  reportPerson(found, response, baseURL.origin, examination)
  if (byUserMe && byUserInfo) comparePeople(byUserMe, byUserInfo, examination)
  return response
}

function personIn(response: ProbeResponse): PersonRecord | undefined {
  return kindOf(response) === 'data' ? findRecord(response.json) : undefined
}

/** @param userMe the response of `user/me`, if it has no user */
function reportEndpoint(userMe: ProbeResponse | undefined, examination: Examination): void {
  const { mode, options } = examination
  mode.withoutUserMe = userMe !== undefined
  if (userMe === undefined) {
    delete options.profileEndpoint
    return
  }
  if (options.profileEndpoint === undefined) {
    const seen = `user/me answers the token of a login with ${contentOf(userMe, examination)}, and get_user_info with a user`
    if (refuses(userMe))
      examination.differs(
        'authorization_removed',
        `${seen}. Most often a server or proxy in front of the API removes the header Authorization: ask its operator to forward it (Apache: CGIPassAuth On). Until then, use profileEndpoint 'get_user_info'. The token is then part of a URL.`,
      )
    else
      examination.differs(
        'profile_by_user_info',
        `${seen}: use profileEndpoint 'get_user_info'. The token is then part of a URL.`,
      )
  }
  options.profileEndpoint = 'get_user_info'
}

function reportNobody(response: ProbeResponse, examination: Examination): void {
  if (Array.isArray(response.json)) examination.mode.goneUserAsEmptyArray = true
  const obstacle = obstacleIn(response, readProfile)
  // Its hint shows where else there is a user.
  const reason = obstacle?.code === 'profile_invalid' ? ` ${reasonOf(obstacle)}` : ''
  examination.broken(
    'person_missing',
    `There was no user in the profile, but ${contentOf(response, examination)}.${reason}`,
  )
}

function comparePeople(one: PersonRecord, other: PersonRecord, examination: Examination): void {
  const idOf = ({ record }: PersonRecord): string => String(ownProperty(record, 'user_id'))
  // Versions 2.7 and 2.8 could answer with another user.
  if (idOf(one) !== idOf(other))
    examination.broken(
      'person_ambiguous',
      'The two profile endpoints answered with two users for one token: the provider is unsafe.',
    )
}

/** Records the ways of a provider that a user's record shows; nothing of the user. */
function recordPerson({ record, wrapper }: PersonRecord, origin: string, mode: RecordedMode): void {
  mode.wrapUser = wrapper
  mode.extraFields = EXTRAS.some((name) => Object.hasOwn(record, name))
  const stringTypes = hasStringTypes(record)
  if (stringTypes !== undefined) mode.stringTypes = stringTypes
  const texts = valuesOf(record, TEXTS)
  if (texts.some((text) => ENTITY.test(text))) mode.encodeEntities = true
  else if (texts.some((text) => PLAIN.test(text))) mode.encodeEntities = false
  const twin = textIn(record, 'profile_picture')
  mode.blankPictures = twin !== '' && !twin.endsWith(textIn(record, 'user_picture'))
  const pictures = valuesOf(record, PICTURES)
  if (pictures.some((picture) => !/^(https?:)?\/\//i.test(picture))) mode.relativePictures = true
  else if (pictures.some((picture) => picture.startsWith(`${origin}/`))) mode.relativePictures = false
}

function hasStringTypes(record: JSONObject): boolean | undefined {
  const verified = ownProperty(record, 'user_verified')
  if (typeof verified === 'string' && verified !== '') return true
  return verified === null || verified === undefined ? undefined : false
}

function valuesOf(record: JSONObject, names: readonly string[]): string[] {
  return names.map((name) => textIn(record, name)).filter((text) => text !== '')
}

/** Empty if there is none, or only white space. */
function textIn(record: JSONObject, name: string): string {
  const value = ownProperty(record, name)
  return typeof value === 'string' && value.trim() !== '' ? value : ''
}

/**
 * The root of relative pictures, where the record shows it: deployed servers send the same picture once more with its
 * absolute URL, or the root alone for a user without a cover. Empty, where it does not.
 */
function uploadsURLIn(record: JSONObject): string {
  for (const [relative, absolute] of [
    ['user_picture', 'profile_picture'],
    ['user_cover', 'profile_cover'],
  ] as const) {
    const path = textIn(record, relative)
    const url = textIn(record, absolute)
    // Visible ASCII, because it is printed, without a query and a fragment.
    if (!/^https?:\/\/[!"$->@-~]+$/i.test(url)) continue
    if (path !== '' && url.endsWith(`/${path}`)) return url.slice(0, -path.length)
    if (absolute === 'profile_cover' && url.endsWith('/')) return url
  }
  return ''
}

/** Reports the form of a record, and what it needs. */
function reportPerson(
  { record, wrapper }: PersonRecord,
  response: ProbeResponse,
  origin: string,
  examination: Examination,
): void {
  const { mode } = examination
  const problem = unreadable(response, readProfile)
  const ways = [
    ...(wrapper ? [`the record is inside ${wrapper}`] : []),
    ...(mode.stringTypes ? ['all values are strings'] : []),
    ...(mode.encodeEntities ? ['names have HTML entities, which the profile decodes'] : []),
  ]
  if (problem !== undefined) examination.broken('person_unreadable', problem)
  else if (obstacleIn(response, readProfile))
    examination.broken('person_id_invalid', 'Its user_id is none that the strategy accepts (see profile_invalid).')
  else if (ways.length === 0) examination.good('person_good', 'The profile was read.')
  else examination.differs('person_differs', `The profile was read: ${ways.join(', ')}. The strategy handles that.`)
  if (mode.relativePictures) reportPictures(uploadsURLIn(record), origin, examination)
}

/** Whether the client takes the JSON for a user. An id that is null or 0 means that there is none. */
export function isPerson(json: JSONValue): boolean {
  try {
    return parseUser(json, '') !== undefined
  } catch {
    return false
  }
}

function reportPictures(uploadsURL: string, origin: string, examination: Examination): void {
  if (mayPropose(uploadsURL, origin, examination)) examination.options.uploadsURL = uploadsURL
  const cure =
    examination.options.uploadsURL === undefined
      ? 'Find the folder in the address of a picture at the provider, and give it as uploadsURL'
      : 'Give uploadsURL'
  examination.differs('pictures_relative', `Their paths are relative, and left out without a root. ${cure}.`)
}

/** Whether the URL may be proposed: not, if it is in a private network and only the provider has named it. */
function mayPropose(uploadsURL: string, origin: string, examination: Examination): boolean {
  const url = parseURL(uploadsURL)
  if (url === undefined || !examination.isHarmless(uploadsURL)) return false
  const isPrivate = isLoopback(url.hostname) || isPrivateHost(url.hostname)
  return !isPrivate || url.origin === origin
}
