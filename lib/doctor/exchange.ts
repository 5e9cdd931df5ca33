import { codingsOf } from '../client/http/decompress'
import { isFailed } from '../client/http/response-reader'
import { readToken } from '../client/response/responses'
import { inventedForm, requestExchange } from './endpoints'
import type { Examination } from './examination'
import type { FindingCode } from './findings'
import { ProbeError, type ProbeResponse } from './probe'
import { contentOf, kindOf, mayBeAPI, type ResponseKind, recordForm, tokenIn, unreadable } from './response'

/** The method of an exchange. `unknown`: only a real key can show it. */
export type ExchangeMethod = 'post' | 'get' | 'unknown'

/**
 * Asks for an exchange with an invented id, secret and key, by POST and by GET.
 * @returns the method that the provider wants, and the milliseconds that its refusal took
 */
export async function checkExchange(
  baseURL: URL,
  examination: Examination,
): Promise<{ method: ExchangeMethod; duration: number }> {
  examination.progress('Asking for an exchange with invented values')
  const form = inventedForm()
  try {
    const byPost = await requestExchange(examination.probe, baseURL, 'POST', form)
    const byGet = await requestExchange(examination.probe, baseURL, 'GET', form)
    recordForm(byPost.json === undefined ? byGet : byPost, examination)
    const read = await methodRead(byPost, byGet, baseURL, examination)
    return { method: reportExchange(byPost, byGet, read, examination), duration: byPost.duration }
  } catch (error) {
    examination.suspect('exchange_unreachable', ProbeError.caught(error).message)
    return { method: 'unknown', duration: 0 }
  }
}

/** The method whose values the provider reads: it answers these differently from a request without any. */
async function methodRead(
  byPost: ProbeResponse,
  byGet: ProbeResponse,
  baseURL: URL,
  { probe, mode }: Examination,
): Promise<ExchangeMethod> {
  if (!mayBeAPI(byPost) || !mayBeAPI(byGet)) return 'unknown'
  const readsForm = !isAlike(byPost, await requestExchange(probe, baseURL, 'POST', {}))
  const readsQuery = !isAlike(byGet, await requestExchange(probe, baseURL, 'GET', {}))
  mode.getAndPost = readsForm && readsQuery
  if (readsQuery && !readsForm) return 'get'
  // Where both answer alike, a GET shows nothing that a POST does not, and would put the secret into a URL.
  return readsForm || isAlike(byPost, byGet) ? 'post' : 'unknown'
}

/** Whether two responses say the same, but for numbers and ids. */
function isAlike(one: ProbeResponse, other: ProbeResponse): boolean {
  const said = ({ status, text }: ProbeResponse): string => `${status} ${text.replace(/[\da-f]{8,}|\d+/gi, '')}`
  return said(one) === said(other)
}

function reportExchange(
  byPost: ProbeResponse,
  byGet: ProbeResponse,
  read: ExchangeMethod,
  examination: Examination,
): ExchangeMethod {
  const { mode, options } = examination
  const [post, get] = [kindOf(byPost), kindOf(byGet)]
  if (tokenIn(byPost) !== undefined || tokenIn(byGet) !== undefined) {
    examination.broken('exchange_unsafe', 'It hands out a token for invented values: anyone can sign in.')
  } else if (read === 'get' || ((post === 'method' || post === 'missing') && mayBeAPI(byGet))) {
    mode.getOnly = true
    mode.postAnswer = post === 'method' ? 'method-not-allowed' : post === 'missing' ? 'not-found' : 'invalid-app-id'
    options.exchangeMethod = 'get'
    const seen =
      read === 'get'
        ? 'answers a POST as if nothing had been sent, and a GET not so'
        : `refuses a POST with status ${byPost.status}, and answers a GET`
    examination.differs('exchange_by_get', `It ${seen}. ${GET_WARNING}`)
    return 'get'
  } else if (post === 'refusal') {
    reportRefusal(byPost, examination)
  } else if (mayBeAPI(byPost) && !isUnreadable(byPost)) {
    const content = contentOf(byPost, examination)
    examination.unclear('exchange_unclear', `It answers invented values with ${content}, no refusal as JSON.`)
  } else {
    examination.suspect(...problemOf(byPost))
  }
  if (get === 'method' && mayBeAPI(byPost)) {
    mode.getOnly = false
    mode.getAndPost = false
    return 'post'
  }
  return read
}

/** What to know before `exchangeMethod: 'get'` is used. */
export const GET_WARNING =
  "Older versions do that: use exchangeMethod 'get'. The secret is then part of a URL, hence of the provider's logs; better update the provider."

function reportRefusal(byPost: ProbeResponse, examination: Examination): void {
  const { status } = byPost
  const shape = isFailed(status) ? ` with status ${status}` : ' within status 200, as most providers do'
  const cookie = examination.mode.sessionCookie ? ' It sets a cookie, which is ignored.' : ''
  const problem = unreadable(byPost, readToken)
  if (problem === undefined) examination.good('exchange_good', `It refuses invented values as JSON,${shape}.${cookie}`)
  else examination.suspect(byPost.hasWarnings ? 'script_warnings' : 'exchange_unreadable', problem)
}

type Problem = readonly [FindingCode, string]

/** Why a response is not one of an exchange. */
export function problemOf(response: ProbeResponse): Problem {
  const [code, message] = isUnreadable(response) ? COMPRESSED : (PROBLEMS[kindOf(response)] ?? NOT_API)
  return [code, `${message} (status ${response.status}).`]
}

const COMPRESSED: Problem = [
  'exchange_compressed',
  'The response is compressed although that was not accepted, and in a way that the client does not read',
]

const NOT_API: Problem = ['exchange_other', 'What answers there is no exchange of this API']

const PROBLEMS: Readonly<Partial<Record<ResponseKind, Problem>>> = {
  missing: ['exchange_missing', 'There is no exchange at this address'],
  method: ['exchange_method', 'It refuses POST, and a GET is not answered as an exchange either'],
  firewall: [
    'exchange_blocked',
    'By its marks, a firewall or bot protection in front of the provider refuses this machine, by its address or its User-Agent. The provider must let it pass',
  ],
  page: ['exchange_page', 'A page instead of the API: maintenance, or an address that is not the API'],
  redirect: [
    'exchange_redirects',
    'It redirects, which is never followed with a secret: baseURL must be the final address',
  ],
  'server-error': ['exchange_fails', 'The provider fails'],
  'rate-limit': ['exchange_rate_limited', 'The provider refuses further requests of this machine: try again later'],
}

/** Whether a firewall may have refused the request: by its marks, or by a status of firewalls without JSON. */
export function isBlocked(response: ProbeResponse): boolean {
  const { status, json } = response
  return kindOf(response) === 'firewall' || (json === undefined && [403, 406, 429, 503].includes(status))
}

/** Whether it is compressed in a way that the client does not read. */
function isUnreadable({ headers, json }: ProbeResponse): boolean {
  return codingsOf(headers).length > 0 && json === undefined
}
