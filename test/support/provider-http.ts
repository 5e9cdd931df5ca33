import type { Application, FakeProvider } from '../../lib/testing'

/** For tests of the fake provider: a response, reduced to what they need. */
export interface Seen {
  status: number
  headers: Headers
  text: string
}

/** Sends a request without following redirects. */
export async function ask(url: string, init: RequestInit = {}): Promise<Seen> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Posts a URL-encoded form. */
export function post(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Seen> {
  return ask(url, { method: 'POST', body: new URLSearchParams(form), headers })
}

/** Section 4.2. */
export function exchange(provider: FakeProvider, { appID, appSecret }: Application, authKey: string): Promise<Seen> {
  const form = { app_id: appID, app_secret: appSecret, auth_key: authKey }
  return post(`${provider.oauthBase}/authorize`, form)
}

/** The headers of section 4.3. */
export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

/** Section 4.3. */
export function userMe(provider: Pick<FakeProvider, 'baseURL'>, token: string): Promise<Seen> {
  return ask(`${provider.baseURL}/user/me`, { headers: bearer(token) })
}

/** Section 4.4. */
export function userInfo(provider: FakeProvider, token: string): Promise<Seen> {
  return ask(`${provider.oauthBase}/get_user_info?access_token=${encodeURIComponent(token)}`)
}

/** Issues and exchanges a key for a token. */
export async function tokenFor(provider: FakeProvider, application: Application, userID = '1'): Promise<string> {
  const authKey = provider.issueAuthKey({ appID: application.appID, userID })
  const { text } = await exchange(provider, application, authKey)
  return tokenIn(text)
}

/** The token in an answer of `authorize`; throws when there is none. */
export function tokenIn(text: string): string {
  const found = /"access_token":"([^"]+)"/.exec(text)?.[1]
  if (found === undefined) throw new Error(`no access_token in ${text}`)
  return found
}

/** The `name=value` part of an answer's cookie. */
export function cookieOf(seen: Seen): string {
  return (seen.headers.get('set-cookie') ?? '').split(';', 1).join()
}

/** Signs in at the provider as a browser does. @returns the cookie */
export async function signInAs(provider: Pick<FakeProvider, 'origin'>, userID: string): Promise<string> {
  return cookieOf(await post(`${provider.origin}/sign-in`, { user_id: userID }))
}

/** The Location of a response as a URL. */
export function locationOf(seen: Seen): URL {
  return new URL(seen.headers.get('location') ?? 'about:blank')
}
