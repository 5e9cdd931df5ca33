import { randomBytes } from 'node:crypto'
import type { Probe, ProbeResponse } from './probe'

/** What an exchange sends. */
export type ExchangeForm = Readonly<Record<'app_id' | 'app_secret' | 'auth_key', string>>

/** A value that belongs to no application and no user, in the form of deployed servers: 32 hexadecimal digits. */
export function invented(): string {
  return randomBytes(16).toString('hex')
}

/** An unknown id in the form of the given one, unless that is too short. */
export function inventedLike(appID: string): string {
  const digits = randomBytes(appID.length)
  return appID.replace(/[a-z0-9]/gi, (character, at: number) => {
    const number = digits.readUInt8(at)
    return /\d/.test(character) ? String(number % 10) : 'abcdef'.charAt(number % 6)
  })
}

/** An unknown application and an invented key. */
export function inventedForm(): ExchangeForm {
  return { app_id: invented(), app_secret: invented(), auth_key: invented() }
}

/** The URL of the login page (specification, section 4.1). */
export function loginURL(baseURL: URL, appID: string): URL {
  return new URL(`${oauthBase(baseURL)}/oauth?${new URLSearchParams({ app_id: appID })}`)
}

/** Section 4.2, by either method. */
export function requestExchange(
  probe: Probe,
  baseURL: URL,
  method: 'GET' | 'POST',
  form: ExchangeForm | Record<string, never>,
): Promise<ProbeResponse> {
  const url = `${oauthBase(baseURL)}/authorize`
  if (method === 'POST') return probe.send({ method, url: new URL(url), form })
  return probe.send({ method, url: new URL(`${url}?${new URLSearchParams(form)}`) })
}

/** Section 4.3. */
export function requestUserMe(probe: Probe, baseURL: URL, token = invented()): Promise<ProbeResponse> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return probe.send({ method: 'GET', url: new URL(`${baseURL.href}/user/me`), headers })
}

/** Section 4.4. */
export function requestUserInfo(probe: Probe, baseURL: URL, token = invented()): Promise<ProbeResponse> {
  const url = new URL(`${oauthBase(baseURL)}/get_user_info?${new URLSearchParams({ access_token: token })}`)
  return probe.send({ method: 'GET', url, headers: { 'content-type': 'application/json' } })
}

function oauthBase(baseURL: URL): string {
  return baseURL.href.slice(0, -'/v1'.length)
}
