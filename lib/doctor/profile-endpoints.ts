import { requestUserInfo } from './endpoints'
import type { Examination } from './examination'
import { recordForm } from './exchange'
import { ProbeError } from './probe-error'
import type { ProbeResponse } from './probe-response'
import { kindOf } from './response-kind'

const CHECK = 'Profile'

/** Reports how `user/me` and `get_user_info` answer a token that nobody has. @returns whether either exists */
export async function checkProfileEndpoints(
  baseURL: URL,
  userMe: ProbeResponse,
  examination: Examination,
): Promise<boolean> {
  examination.progress('Asking for a profile with an invented token')
  const { mode, options } = examination
  const userInfo = await tryUserInfo(baseURL, examination)
  const hasUserMe = speaks(userMe)
  const hasUserInfo = userInfo !== undefined && speaks(userInfo)
  const speaker = hasUserMe ? userMe : hasUserInfo ? userInfo : undefined
  if (speaker) recordRefusal(speaker, examination)
  else mode.htmlAtStatus200 = [userMe, userInfo].every((response) => response !== undefined && isPageAt200(response))
  if (hasUserMe) {
    mode.withoutUserMe = false
    const legacy = hasUserInfo ? '' : ' (The legacy endpoint get_user_info is not there, and not needed.)'
    examination.good(CHECK, `user/me refuses an invented token with status ${userMe.status}.${legacy}`)
  } else if (hasUserInfo) {
    mode.withoutUserMe = true
    options.profileEndpoint = 'get_user_info'
    examination.differs(
      CHECK,
      `There is no user/me (status ${userMe.status}), but the legacy get_user_info: use profileEndpoint 'get_user_info'. The token is then part of a URL.`,
    )
  } else {
    examination.broken(CHECK, `Neither user/me (status ${userMe.status}) nor get_user_info answers as the API.`)
  }
  reportLimit(userMe, examination)
  return speaker !== undefined
}

async function tryUserInfo(baseURL: URL, examination: Examination): Promise<ProbeResponse | undefined> {
  try {
    return await requestUserInfo(examination.probe, baseURL)
  } catch (error) {
    examination.differs('get_user_info', ProbeError.caught(error).message)
    return undefined
  }
}

/** Whether an endpoint exists: it answers in JSON, and not that it is missing. */
function speaks(response: ProbeResponse): boolean {
  const kind = kindOf(response)
  return response.json !== undefined && (kind === 'refusal' || kind === 'data')
}

function isPageAt200(response: ProbeResponse): boolean {
  return response.status === 200 && response.isPage
}

function recordRefusal(response: ProbeResponse, { mode }: Examination): void {
  recordForm(response, mode)
  mode.htmlAtStatus200 = false
  if (kindOf(response) === 'refusal') mode.errorsAtStatus200 = response.status < 300
}

function reportLimit({ headers }: ProbeResponse, examination: Examination): void {
  const limit = headers['x-ratelimit-limit']
  if (typeof limit === 'string' && /^\d{1,9}$/.test(limit))
    examination.good('Rate limit', `The site tells its limit: ${limit} requests (the specification: 1000 an hour).`)
}
