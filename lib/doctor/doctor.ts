import { findAddress, isSafe, type Location } from './address'
import { inventedForm, requestExchange, requestUserMe } from './endpoints'
import { Examination, type Observer } from './examination'
import { checkExchange } from './exchange'
import { isSlow, LoginExamination, type LoginInput, reportTime } from './login'
import { checkLoginPage } from './login-page'
import { Probe, ProbeError } from './probe'
import { checkProfileEndpoints } from './profile'
import { isFromAPI, mayBeAPI } from './response'

export interface DoctorInput {
  /** Ends in `/v1`. */
  readonly baseURL: URL
  readonly appID?: string | undefined
  /** The registered redirect URL. */
  readonly redirectURL?: string | undefined
  /** For an examination with a real login. */
  readonly login?: LoginInput | undefined
  /** The `User-Agent` of all requests. */
  readonly userAgent: string
  /** Milliseconds for each request. */
  readonly timeout: number
  /** Whether the environment names a proxy for this address. */
  readonly hasProxy: boolean
}

/** Examines a provider, one request at a time. The observer is told each finding as soon as it is known. */
export async function examine(input: DoctorInput, observer: Observer): Promise<Examination> {
  const { baseURL, userAgent, timeout } = input
  const proxied = input.hasProxy && !(await reachesDirectly(input))
  const probe = new Probe(userAgent, timeout, baseURL.origin, proxied)
  const examination = new Examination(probe, observer)
  // The provider knows the secret, and could repeat it in any response, even before the secret is sent.
  if (input.login) examination.hide(input.login.appSecret)
  try {
    if (proxied) {
      examination.options.proxied = true
      examination.differs(
        'proxy_needed',
        'A direct request failed, so all requests go through the proxy of the environment. If they succeed, give a dispatcher.',
      )
    }
    const found = await findAddress(baseURL, examination)
    if (found) await examineAPI(found, input, examination)
    return examination
  } finally {
    await probe.close()
  }
}

async function examineAPI(found: Location, input: DoctorInput, examination: Examination): Promise<void> {
  const { options } = examination
  if (input.appID !== undefined) options.clientID = input.appID
  if (input.redirectURL !== undefined) options.callbackURL = input.redirectURL
  const { baseURL, userMe } = await withRightPath(found, examination)
  const obstacle = obstacleTo(baseURL, input.baseURL)
  examination.loginFollows = input.login !== undefined && obstacle === undefined
  await checkLoginPage(baseURL, input.appID, mayBeAPI(userMe), examination)
  const { method, duration } = await checkExchange(baseURL, examination)
  await checkProfileEndpoints(baseURL, userMe, examination)
  // Fast refusals show nothing about a login.
  if (!examination.loginFollows && isSlow(duration + userMe.duration))
    reportTime('Two refusals took', duration + userMe.duration, examination)
  if (input.login === undefined) return
  if (obstacle !== undefined) return examination.broken('login_not_tried', `Not tried: ${obstacle}`)
  await new LoginExamination(baseURL, method, input.login, examination).run()
}

/** Why a secret is not sent to an address. The server at the typed address could name any other. */
function obstacleTo(found: URL, typed: URL): string | undefined {
  if (!isSafe(found)) return 'by plain http, anyone on the way could read the secret.'
  if (found.href !== typed.href)
    return `a secret is sent only to the address that was typed: run this with ${found.href}`
  return undefined
}

/** The location at the usual path of the same host, if the API is there and not where it was looked for. */
async function withRightPath(found: Location, examination: Examination): Promise<Location> {
  const usual = new URL('/api/v1', found.baseURL)
  if (mayBeAPI(found.userMe) || found.baseURL.pathname === usual.pathname) return found
  const { probe } = examination
  const form = inventedForm()
  try {
    if (mayBeAPI(await requestExchange(probe, found.baseURL, 'POST', form))) return found
    if (!isFromAPI(await requestExchange(probe, usual, 'POST', form))) return found
    examination.options.baseURL = usual.href
    examination.broken('path_wrong', `The API is not at that path, but at ${usual.href}.`)
    return { baseURL: usual, userMe: await requestUserMe(probe, usual) }
  } catch (error) {
    // The checks of each endpoint report what is wrong there.
    ProbeError.caught(error)
    return found
  }
}

async function reachesDirectly({ baseURL, userAgent, timeout }: DoctorInput): Promise<boolean> {
  const probe = new Probe(userAgent, timeout, baseURL.origin)
  try {
    await requestUserMe(probe, baseURL)
    return true
  } catch (error) {
    return !ProbeError.caught(error).code?.startsWith('E')
  } finally {
    await probe.close()
  }
}
