import { isLoopback } from '../client/url-options'
import { requestUserMe } from './endpoints'
import type { Examination } from './examination'
import { isBlocked } from './exchange'
import { checkTLS, explainFailure } from './network'
import { NOT_ASKED, ProbeError, type ProbeResponse } from './probe'
import { isFromAPI, kindOf, redirectTarget } from './response'

const MAX_REDIRECTS = 5
// Requests of unknown programs are often refused by their name alone.
const BROWSER_LIKE = 'Mozilla/5.0 (compatible; passport-social-login)'

/** Where the API is, and what `user/me` answers there to an invented token. */
export interface Location {
  readonly baseURL: URL
  readonly userMe: ProbeResponse
}

/**
 * Finds the final address of the API, following redirects without a secret, and examines the connections to it.
 * @returns undefined if there is none, which a finding explains
 */
export async function findAddress(typed: URL, examination: Examination): Promise<Location | undefined> {
  let baseURL = typed
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      examination.progress('Looking for the API')
      const userMe = await throughFirewall(baseURL, examination)
      const next = kindOf(userMe) === 'redirect' ? nextAddress(userMe, baseURL, examination) : undefined
      if (next === undefined) {
        reportAddress(baseURL, typed, examination)
        await checkTLS(baseURL, examination)
        return { baseURL, userMe }
      }
      if (next === 'refused') return undefined
      baseURL = next
    }
    examination.broken('address_circle', 'The provider redirects in a circle.')
  } catch (error) {
    const failure = ProbeError.caught(error)
    if (failure.code === NOT_ASKED)
      examination.broken('address_private', `${failure.message} If it is right, run this with its address.`)
    else await explainFailure(failure, baseURL, examination)
  }
  return undefined
}

/**
 * The response of `user/me`. If a firewall may have refused the request, and lets another name pass to the API, that
 * name is used from then on.
 */
async function throughFirewall(baseURL: URL, examination: Examination): Promise<ProbeResponse> {
  const { probe, options } = examination
  const response = await requestUserMe(probe, baseURL)
  if (!isBlocked(response)) return response
  const usual = probe.userAgent
  probe.userAgent = BROWSER_LIKE
  const second = await requestUserMe(probe, baseURL)
  if (!isFromAPI(second)) {
    probe.userAgent = usual
    return response
  }
  options.userAgent = BROWSER_LIKE
  examination.differs('user_agent_refused', 'A firewall refuses the name of this package: use the option userAgent.')
  return second
}

/** The API's address behind a redirect; undefined if it redirects to something else, which the endpoints then show. */
function nextAddress(response: ProbeResponse, from: URL, examination: Examination): URL | 'refused' | undefined {
  const url = redirectTarget(response, from)
  if (url === undefined) {
    examination.broken('address_no_web', 'The provider redirects to something that is no web address.')
    return 'refused'
  }
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    examination.broken(
      'address_insecure',
      'The provider redirects from https to plain http, where anyone on the way can read the secret.',
    )
    return 'refused'
  }
  // Without /v1 it is no base URL, and the addresses derived from it could be those of another host.
  if (!url.pathname.endsWith('/v1/user/me')) return undefined
  return new URL(url.pathname.replace(/\/user\/me$/, ''), url.origin)
}

function reportAddress(found: URL, typed: URL, examination: Examination): void {
  examination.options.baseURL = found.href
  if (found.href !== typed.href) {
    const way = 'A redirect with a key or a token is never followed, so baseURL must be the final address'
    examination.differs('address_redirects', `The provider redirects to ${found.href}. ${way}.`)
  } else {
    examination.good('address_good', `${found.href} answers, without a redirect.`)
  }
  if (!isSafe(found)) {
    examination.broken(
      'plain_http',
      'The provider answers by plain http: anyone on the way can read the secret, the keys and the tokens. Use https. (Within your own network, you can set the option allowInsecureHTTP.)',
    )
  }
}

/** Whether a secret may be sent there: by https, or to this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname)
}
