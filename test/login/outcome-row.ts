import type { OutcomeCode } from '../../lib'
import { MAX_PROFILE_SENDS } from '../../lib/limits'
import type { Endpoint, FakeProvider, Fault } from '../../lib/testing'
import type { AppOptions, Keep, RunningApp } from '../support/app'
import type { Browser, BrowserAnswer } from '../support/browser'

/** A situation for one row of the table of outcomes. */
export interface Row {
  readonly situation: string
  readonly code: OutcomeCode
  /** What happens to the pending login. */
  readonly record: 'kept' | 'over'
  /** The requests that the provider receives. */
  readonly sent: readonly string[]
  /** Whether the error says that a new attempt may succeed. Default: as in the table. */
  readonly retryable?: boolean
  /** What differs where requests are sent by `fetch`: docs/web.md names these rows. */
  readonly byFetch?: Partial<Pick<Row, 'code' | 'sent'>>
  readonly app?: Omit<AppOptions, 'keep'>
  /** Where the situation exists. Default: everywhere. */
  readonly keep?: readonly Keep[]
  /** Before the visit: the login has been started by `browser`. */
  readonly arrange?: (scenario: Scenario) => unknown
  /** Default: the genuine callback. */
  readonly visit?: (scenario: Scenario) => Promise<BrowserAnswer>
}

export interface Scenario {
  readonly provider: FakeProvider
  readonly app: RunningApp
  readonly browser: Browser
  readonly authKey: string
  /** The browser's cookies after the start. */
  readonly cookies: string
}

export const BODY_CANARY = 'provider-body-canary-93b1'
export const EXCHANGE = ['authorize']
export const BOTH = ['authorize', 'user/me']

export const callback = ({ app, authKey }: Scenario, query = `?auth_key=${authKey}`) => `${app.callbackURL}${query}`

/** A visit of the browser that started the login. */
export const visitWith =
  (query: (scenario: Scenario) => string, headers: Record<string, string> = {}) =>
  (scenario: Scenario) =>
    scenario.browser.comeBack(callback(scenario, query(scenario)), { headers })

/** The fault of the next request to an endpoint. */
export function fault(endpoint: Endpoint, fault: Fault): (scenario: Scenario) => void {
  return ({ provider }) => provider.failNext(endpoint, fault)
}

/** The outcomes after which a profile request is sent again: see retried-profile.test.ts. */
const SENT_AGAIN: ReadonlySet<OutcomeCode> = new Set(['provider_unavailable', 'provider_unreachable'])

/** The profile requests of a login if each of them has this outcome. */
export function profileRequests(code: OutcomeCode, endpoint: Endpoint = 'user/me'): Endpoint[] {
  return Array.from({ length: SENT_AGAIN.has(code) ? MAX_PROFILE_SENDS : 1 }, () => endpoint)
}

/** The same fault at the exchange, and at every profile request. */
export function atBoth(situation: string, code: OutcomeCode, what: Fault, app: Row['app'] = {}): Row[] {
  return [
    exchangeRow(`${situation} at the exchange`, code, what, { app }),
    {
      situation: `${situation} at the profile`,
      code,
      record: 'over',
      sent: [...EXCHANGE, ...profileRequests(code)],
      app,
      arrange: ({ provider }) => provider.failNext('user/me', what, { times: Number.POSITIVE_INFINITY }),
    },
  ]
}

/** A callback that is refused before anything is sent, so that the genuine one can still end the login. */
export function refused(situation: string, code: OutcomeCode, visit: Row['visit'], more: Partial<Row> = {}): Row {
  return { situation, code, record: 'kept', sent: [], ...(visit && { visit }), ...more }
}

/** A login that the response to the exchange ends. */
export function exchangeRow(situation: string, code: OutcomeCode, response: Fault, more: Partial<Row> = {}): Row {
  return { situation, code, record: 'over', sent: EXCHANGE, arrange: fault('authorize', response), ...more }
}

/** A login that the response of `user/me` ends. */
export function profileRow(situation: string, code: OutcomeCode, response: Fault): Row {
  return { situation, code, record: 'over', sent: BOTH, arrange: fault('user/me', response) }
}

/** A response with this body, in which CANARY is replaced. */
export const json = (body: string): Fault => ({ body: body.replace('CANARY', BODY_CANARY) })
