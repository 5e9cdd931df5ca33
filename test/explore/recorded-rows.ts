import type { OutcomeCode } from '../../lib'

/** The expected verdict on a request with a well-formed key. */
export type Verdict = 'genuine' | Extract<OutcomeCode, 'callback_forged' | 'method_not_allowed' | 'speculative_request'>

/** The headers of a real browser in one situation, as in test/fixtures/browser-headers.json. */
export interface CallbackRow {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** Whether cookies with SameSite=Lax travel along. */
  readonly lax: boolean
  readonly verdict: Verdict
}

/** The same for a request that starts a login. */
export interface StartRow extends Omit<CallbackRow, 'verdict'> {
  readonly verdict: 'verified' | 'unverified' | Extract<OutcomeCode, 'start_forbidden' | 'speculative_request'>
}

/** Placeholder for the provider's origin in a header. */
export const PROVIDER = 'PROVIDER'
/** Placeholder for the application's origin in a header. */
export const APP = 'APP'
const EVIL = 'https://evil.example'

type Site = 'cross-site' | 'same-site' | 'same-origin' | 'none'
type Headers = Readonly<Record<string, string>>

function metadata(site: Site, mode = 'navigate', dest = 'document'): Headers {
  return { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
}

function row(name: string, verdict: Verdict, headers: Headers, more: Partial<CallbackRow> = {}): CallbackRow {
  return { name, verdict, headers, method: 'GET', lax: true, ...more }
}

const cross = metadata('cross-site')
const fromProvider = { ...cross, referer: `${PROVIDER}/` }
const fromApp = { ...cross, referer: `${APP}/login` }
const fromEvil = { ...cross, referer: `${EVIL}/` }
const hidden = { lax: false } as const

/** The rows with different headers. */
export const callbackRows: readonly CallbackRow[] = [
  row('G1 form at the provider', 'genuine', { ...fromProvider, 'sec-fetch-user': '?1' }),
  row('G2 link or script at the provider', 'genuine', fromProvider),
  row('G3 silent approval', 'genuine', fromApp),
  row('G5 typed start, silent approval', 'callback_forged', metadata('none')),
  row('G6 provider answers 307', 'method_not_allowed', fromProvider, { method: 'POST', ...hidden }),
  row('G7 provider without Referer', 'genuine', cross),
  row('A1 evil link', 'callback_forged', { ...fromEvil, 'sec-fetch-user': '?1' }),
  row('A2 evil link without Referer, like G7', 'genuine', { ...cross, 'sec-fetch-user': '?1' }),
  row('A3 evil script', 'callback_forged', fromEvil),
  row('A4 evil frame', 'callback_forged', metadata('cross-site', 'navigate', 'iframe'), hidden),
  row('A5 evil image', 'callback_forged', metadata('cross-site', 'no-cors', 'image'), hidden),
  row('A6 evil fetch', 'callback_forged', metadata('cross-site', 'no-cors', 'empty'), hidden),
  row('A11 typed or mailed', 'callback_forged', { ...metadata('none'), 'sec-fetch-user': '?1' }),
  row('A12 link inside the application', 'callback_forged', { ...metadata('same-origin'), referer: `${APP}/` }),
  row('A12 without Referer', 'callback_forged', metadata('same-origin')),
  row('A14 evil form', 'method_not_allowed', fromEvil, { method: 'POST', ...hidden }),
  row('P1 prefetch', 'speculative_request', { ...metadata('none'), 'sec-purpose': 'prefetch' }),
  row('P1 prerender', 'speculative_request', { ...fromProvider, 'sec-purpose': 'prefetch;prerender' }),
  row('sister site', 'callback_forged', metadata('same-site')),
  row('old browser from the provider', 'genuine', { referer: `${PROVIDER}/api/oauth` }),
  row('old browser without Referer', 'genuine', {}),
  row('old browser from an evil page', 'callback_forged', { referer: `${EVIL}/` }),
]

type Start = StartRow['verdict']

function start(name: string, verdict: Start, headers: Headers, more: Partial<StartRow> = {}): StartRow {
  return { name, verdict, headers, method: 'GET', lax: true, ...more }
}

const ownPage = { ...metadata('same-origin'), referer: `${APP}/login` }
const posted = { method: 'POST' } as const

export const startRows: readonly StartRow[] = [
  start('own link', 'verified', ownPage),
  start('own form', 'verified', { ...ownPage, origin: APP }, posted),
  start('own form under helmet', 'verified', { ...metadata('same-origin'), origin: 'null' }, posted),
  start('own link, old browser', 'verified', { referer: `${APP}/login` }),
  start('own form, old browser', 'verified', { origin: APP }, posted),
  start('A7 evil form', 'unverified', { ...fromEvil, origin: EVIL }, { ...posted, ...hidden }),
  start('A8 evil link', 'unverified', fromEvil),
  start('evil link, old browser', 'unverified', { referer: `${EVIL}/` }),
  start('sister site', 'unverified', metadata('same-site')),
  start('typed', 'unverified', metadata('none')),
  start('A9 evil image', 'start_forbidden', metadata('cross-site', 'no-cors', 'image'), hidden),
  start('A10 evil frame', 'start_forbidden', metadata('cross-site', 'navigate', 'iframe'), hidden),
  start('own frame', 'start_forbidden', metadata('same-origin', 'navigate', 'iframe')),
  start('P1 prefetch', 'speculative_request', { ...metadata('none'), 'sec-purpose': 'prefetch' }),
  start('P1 own prerender', 'speculative_request', { ...ownPage, 'sec-purpose': 'prefetch;prerender' }),
]
