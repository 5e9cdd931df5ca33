import { type ExchangeForm, invented, requestExchange } from './endpoints'
import type { Examination } from './examination'
import type { RecordedMode } from './mode'
import { ProbeError } from './probe-error'
import type { ProbeResponse } from './probe-response'
import { kindOf, type ResponseKind } from './response-kind'

const CHECK = 'Exchange'

/** How the exchange is asked for: `unknown` is seen only with a real key. */
export type ExchangeMethod = 'post' | 'get' | 'unknown'

/** What the exchange answers to invented values. */
export interface ExchangeFacts {
  readonly method: ExchangeMethod
  /** Whether the API answers there at all. */
  readonly exists: boolean
  /** Milliseconds that a request took. */
  readonly duration: number
}

/** Asks for an exchange with an invented id, secret and key, by POST and by GET, and once without a `User-Agent`. */
export async function checkExchange(baseURL: URL, examination: Examination): Promise<ExchangeFacts> {
  examination.progress('Asking for an exchange with invented values')
  const { probe } = examination
  const form = { app_id: invented(), app_secret: invented(), auth_key: invented() }
  try {
    const byPost = await requestExchange(probe, baseURL, 'POST', form)
    const byGet = await requestExchange(probe, baseURL, 'GET', form)
    const method = reportExchange(byPost, byGet, examination)
    await checkUserAgent(baseURL, form, byPost, examination)
    return { method: method ?? 'unknown', exists: method !== undefined, duration: byPost.duration }
  } catch (error) {
    examination.broken(CHECK, ProbeError.caught(error).message)
    return { method: 'unknown', exists: false, duration: 0 }
  }
}

/** @returns undefined if there is no exchange */
function reportExchange(
  byPost: ProbeResponse,
  byGet: ProbeResponse,
  examination: Examination,
): ExchangeMethod | undefined {
  const { mode } = examination
  const [post, get] = [kindOf(byPost), kindOf(byGet)]
  recordForm(byPost.json === undefined ? byGet : byPost, mode)
  if (get === 'refusal' && (post === 'method' || post === 'missing')) {
    mode.getOnly = true
    mode.postAnswer = post === 'method' ? 'method-not-allowed' : 'not-found'
    examination.differs(CHECK, `It refuses a POST with status ${byPost.status}, and answers a GET. ${GET_WARNING}`)
    examination.options.exchangeMethod = 'get'
    return 'get'
  }
  if (post === 'refusal') return reportRefusal(byPost, byGet, examination)
  const problem = isCompressed(byPost) ? COMPRESSED : PROBLEMS[post]
  examination.broken(CHECK, `${problem} (status ${byPost.status}).`)
  return undefined
}

/** What to know before `exchangeMethod: 'get'` is used. */
export const GET_WARNING =
  "Older versions do that: use exchangeMethod 'get'. The secret is then part of a URL, hence of the site's logs; better update the site."

function reportRefusal(byPost: ProbeResponse, byGet: ProbeResponse, examination: Examination): ExchangeMethod {
  const { mode } = examination
  const shape = byPost.status < 300 ? ' within status 200, as most sites do' : ` with status ${byPost.status}`
  const cookie = mode.sessionCookie ? ' It sets a cookie, which is ignored.' : ''
  examination.good(CHECK, `It refuses invented values as JSON,${shape}.${cookie}`)
  if (byPost.hasWarnings) reportWarnings(examination)
  if (kindOf(byGet) === 'method') {
    mode.getOnly = false
    return 'post'
  }
  // A server that reads the query alone says so with status 200, whatever its other errors have.
  if (byPost.status < 300 && byGet.status >= 400 && kindOf(byGet) === 'refusal')
    examination.differs(
      'Method',
      'It may answer a GET alone: it refuses that otherwise than a POST. A login (--login) tells.',
    )
  return 'unknown'
}

/** Script warnings before the JSON make it unreadable to every client. */
export function reportWarnings(examination: Examination): void {
  examination.mode.scriptWarnings = true
  const cure = "The site's operator must turn off display_errors"
  examination.broken('Warnings', `The warnings of a script precede the JSON, so that no client can read it. ${cure}.`)
}

/** What the text of any JSON response tells. */
export function recordForm({ json, headers, hasWarnings }: ProbeResponse, mode: RecordedMode): void {
  if (json === undefined) return
  mode.htmlContentType = /^text\/html\b/i.test(String(headers['content-type'] ?? ''))
  mode.sessionCookie = headers['set-cookie'] !== undefined
  mode.scriptWarnings = hasWarnings
}

const COMPRESSED =
  'The response is compressed although that was not accepted: no client that asks for plain text can read it'

function isCompressed({ headers }: ProbeResponse): boolean {
  return !/^(identity)?$/i.test(String(headers['content-encoding'] ?? ''))
}

const NOT_API = 'What answers there is no exchange of this API'

const PROBLEMS: Readonly<Record<ResponseKind, string>> = {
  refusal: NOT_API,
  data: 'It answers invented values with JSON that is no refusal: it is not the exchange of this API',
  missing: 'There is no exchange at this address',
  method: 'It refuses POST, and a GET is not answered as an exchange either',
  firewall:
    'A page instead of the API: a firewall or bot protection in front of the site refuses this machine, by its address or its User-Agent. The site must let it pass',
  page: 'A page instead of the API, or nothing: maintenance, or an address that is not the API',
  redirect: 'It redirects, which is never followed with a secret: baseURL must be the final address',
  'server-error': 'The site fails',
  'rate-limit': 'The site refuses further requests of this machine: try again later',
  other: NOT_API,
}

async function checkUserAgent(
  baseURL: URL,
  form: ExchangeForm,
  usual: ProbeResponse,
  examination: Examination,
): Promise<void> {
  const { probe, mode } = examination
  if (kindOf(usual) === 'firewall') return
  const response = await requestExchange(probe, baseURL, 'POST', form, null)
  mode.requireUserAgent = kindOf(response) === 'firewall'
  if (mode.requireUserAgent)
    examination.good('User-Agent', 'A firewall refuses requests without one. This package sends one.')
}
