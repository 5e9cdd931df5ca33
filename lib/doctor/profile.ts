import { isFailed } from '../client/http/response-reader'
import type { JSONValue } from '../client/response/json'
import { readProfile } from '../client/response/responses'
import { requestUserInfo } from './endpoints'
import type { Examination } from './examination'
import { isPerson } from './person'
import { ProbeError, type ProbeResponse } from './probe'
import { contentOf, kindOf, mayBeAPI, recordForm, refuses, unreadable } from './response'

/** Reports how `user/me` and `get_user_info` answer an invented token. */
export async function checkProfileEndpoints(
  baseURL: URL,
  userMe: ProbeResponse,
  examination: Examination,
): Promise<void> {
  examination.progress('Asking for a profile with an invented token')
  const userInfo = await tryUserInfo(baseURL, examination)
  recordRefusals(userMe, userInfo, examination)
  const isUnsafe = [
    handsOutPerson('user/me', userMe, examination),
    userInfo !== undefined && handsOutPerson('get_user_info', userInfo, examination),
  ]
  if (!isUnsafe.includes(true)) reportEndpoint(userMe, userInfo, examination)
}

async function tryUserInfo(baseURL: URL, examination: Examination): Promise<ProbeResponse | undefined> {
  try {
    return await requestUserInfo(examination.probe, baseURL)
  } catch (error) {
    examination.differs('user_info_unreachable', ProbeError.caught(error).message)
    return undefined
  }
}

function recordRefusals(userMe: ProbeResponse, userInfo: ProbeResponse | undefined, examination: Examination): void {
  const { mode } = examination
  const both = userInfo === undefined ? [userMe] : [userMe, userInfo]
  const refusal = both.find((response) => kindOf(response) === 'refusal')
  mode.htmlAtStatus200 = both.every((response) => kindOf(response) === 'page' && response.status === 200)
  if (refusal === undefined) return
  recordForm(refusal, examination)
  mode.errorsAtStatus200 = !isFailed(refusal.status)
}

/** Reports an endpoint that is unsafe. */
function handsOutPerson(endpoint: string, response: ProbeResponse, examination: Examination): boolean {
  if (kindOf(response) !== 'data' || !holdsPerson(response.json ?? null)) return false
  examination.broken(
    'profile_unsafe',
    `${endpoint} returns a user for an invented token: anyone can get one. It is unsafe.`,
  )
  return true
}

/** Whether there is a user in the first levels of the JSON. */
function holdsPerson(json: JSONValue, levels = 4): boolean {
  if (typeof json !== 'object' || json === null) return false
  return isPerson(json) || (levels > 0 && Object.values(json).some((value) => holdsPerson(value, levels - 1)))
}

function reportEndpoint(userMe: ProbeResponse, userInfo: ProbeResponse | undefined, examination: Examination): void {
  const { mode, options } = examination
  const hasUserInfo = userInfo !== undefined && mayBeAPI(userInfo)
  const refusesByInfoAlone = hasUserInfo && kindOf(userInfo) === 'refusal' && !refuses(userMe)
  if (mayBeAPI(userMe) && !refusesByInfoAlone) {
    mode.withoutUserMe = false
    const legacy = hasUserInfo ? '' : ' (The legacy endpoint get_user_info is not there, and not needed.)'
    const problem = kindOf(userMe) === 'refusal' ? unreadable(userMe, readProfile) : undefined
    if (problem !== undefined) return examination.suspect('profile_unreadable', problem)
    if (kindOf(userMe) === 'refusal')
      return examination.good(
        'profile_good',
        `user/me refuses an invented token with status ${userMe.status}.${legacy}`,
      )
    const content = contentOf(userMe, examination)
    examination.unclear('profile_unclear', `user/me answers an invented token with ${content}.`)
  } else if (hasUserInfo) {
    mode.withoutUserMe = true
    options.profileEndpoint = 'get_user_info'
    const message = `There is no user/me (status ${userMe.status}), but the legacy get_user_info: use profileEndpoint 'get_user_info'. The token is then part of a URL.`
    if (refuses(userInfo)) examination.differs('profile_by_user_info', message)
    else examination.unclear('profile_by_user_info', message)
  } else {
    examination.suspect(
      'profile_missing',
      `Neither user/me (status ${userMe.status}) nor get_user_info answers as the API.`,
    )
  }
}
