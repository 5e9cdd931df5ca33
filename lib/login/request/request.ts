import { isAuthKey } from '../../client/endpoints'
import type { OutcomeCode, Phase } from '../../errors'
import { MISPLACED_KEY, ONE_ROUTE, scriptHint, startHint, TOO_LONG, WRONG_PATH } from '../../explain/requests'
import { CONFIRMED_PARAMETER } from '../pages/confirm-page'
import type { HTTPResponse } from '../pages/page'
import { removeTabSecret, tabSecretOfCallback, tabSecretOfStart } from '../pages/tab'
import {
  describeRequest,
  type HTTPRequest,
  misplacementOf,
  type OriginPolicy,
  type RequestDescription,
} from './description'
import { confirmationAfterTab } from './tab-cookie'

export interface StartRequest {
  readonly type: 'start'
  readonly method: 'GET' | 'POST'
  /** Path and query of the request, safe for a link on the same origin. */
  readonly path: string
  /** What the link of the confirm page must hold, if that page must ask first whether the start was meant. */
  readonly confirmation: string | undefined
  /** Whether any header tells what caused the request. */
  readonly hasSource: boolean
  /** Whether the path is the end of the callback's: behind a proxy that strips a prefix, it may be a callback. */
  readonly isAtCallback: boolean
  /** Whether it may be a callback that has lost its key, behind such a proxy: no page of the application led to it. */
  readonly mayLackKey: boolean
  readonly fetchSite: string | undefined
  /** The secret stored in the tab; undefined if it has none yet. */
  readonly tabSecret: string | undefined
}

/** A callback with one well-formed key. `checkCallback` says whether it may have come from the provider. */
export interface CallbackRequest
  extends Pick<
    RequestDescription,
    'kind' | 'fetchSite' | 'source' | 'referer' | 'mayBeFromProvider' | 'isOriginOfHost'
  > {
  readonly type: 'callback'
  readonly authKey: string
  /** Undefined before the tab was asked; then its stored secret, or an empty string if it has none. */
  readonly tabSecret: string | undefined
}

export interface RefusedRequest {
  readonly type: 'refused'
  readonly code: OutcomeCode
  readonly phase: Phase
  readonly hint: string | undefined
}

/** A start that a client-side router has requested. The response makes it leave the navigation to the browser. */
export interface RoutedRequest {
  readonly type: 'routed'
  readonly response: HTTPResponse
}

export type AnyRequest = StartRequest | CallbackRequest | RefusedRequest | RoutedRequest

/**
 * Classifies a request. Behind a proxy that strips a prefix, a callback without a key looks like a start: `start`
 * recognises it by the browser's record. What is refused changes nothing, and is never an `error`.
 */
export function classifyRequest(req: HTTPRequest, policy: OriginPolicy): AnyRequest {
  const request = describeRequest(req, policy)
  const phase = request.isCallback ? 'callback' : 'start'
  if (request.isTooLong) return refused(request.isCallback ? 'auth_key_malformed' : 'start_forbidden', phase, TOO_LONG)
  // A router's request comes first, because it may keep the answer to a prefetch for the click.
  const routed = request.isCallback ? undefined : routedRequest(request)
  if (routed) return routed
  if (request.kind === 'speculative') return refused('speculative_request', phase)
  return request.isCallback ? classifyCallback(request, policy) : classifyStart(request, policy)
}

function routedRequest({ method, router, target }: RequestDescription): RoutedRequest | undefined {
  if (!isStartMethod(method) || !router) return undefined
  return { type: 'routed', response: router.answer(safePath(target), method) }
}

function isStartMethod(method: string | undefined): method is 'GET' | 'POST' {
  return method === 'GET' || method === 'POST'
}

/** It has exactly one leading slash, because `//evil.example` is another host. */
function safePath({ pathname, search }: URL): string {
  return pathname.replace(/\/+/, '/') + search
}

function classifyStart(request: RequestDescription, policy: OriginPolicy): StartRequest | RefusedRequest {
  const { method, kind, source, fetchSite, target, isAtCallback } = request
  if (!isStartMethod(method)) return refused('method_not_allowed', 'start')
  // A redirect would take the script, not the browser, to the provider, where it would fail by CORS without a reason.
  if (kind === 'fetch') return refused('navigation_required', 'start', scriptHint(request.path))
  // A frame, an image or a script never starts a login: only a navigation of the whole page does.
  if (kind !== 'navigation') return refused('start_forbidden', 'start', startHint(request))
  const isVerified = isVerifiedStart(request)
  const asked = questionOf(request, policy, isVerified)
  if (asked === 'in vain') return refused('start_forbidden', 'start', startHint(request))
  const tabSecret = policy.tabBinding && isVerified ? tabSecretOfStart(target.searchParams) : undefined
  // An unverified link may come from another site: a secret in it must not be taken for the tab's.
  if (policy.tabBinding && !isVerified) removeTabSecret(target.searchParams)
  return {
    type: 'start',
    method,
    path: safePath(target),
    confirmation: asked.confirmation,
    hasSource: fetchSite !== undefined || source !== 'absent',
    isAtCallback,
    mayLackKey: isAtCallback && !isVerified && method === 'GET',
    fetchSite,
    tabSecret,
  }
}

/** Whether a page of this application, or of a sister site, caused the request. */
function isVerifiedStart({ fetchSite, source }: RequestDescription): boolean {
  if (source === 'sister') return true
  return fetchSite === undefined ? source === 'app' : fetchSite === 'same-origin'
}

// Whether the confirm page asks before a login starts, and what its link must then hold. It would ask in vain if it is
// not wanted, or if its button was pressed and still no header shows that.
function questionOf(
  { fetchSite, target, cookie }: RequestDescription,
  policy: OriginPolicy,
  isVerified: boolean,
): { readonly confirmation: string | undefined } | 'in vain' {
  const { unverifiedStart } = policy
  if (unverifiedStart === 'allow') return { confirmation: undefined }
  const given = target.searchParams.get(CONFIRMED_PARAMETER) ?? undefined
  if (isVerified) {
    const needed = confirmationAfterTab(cookie, policy)
    return { confirmation: needed === given ? undefined : needed }
  }
  if (unverifiedStart === 'refuse' || (fetchSite === undefined && given !== undefined)) return 'in vain'
  // Anyone may have caused it, so a user must confirm it. `CONFIRMED_PARAMETER` explains the 1.
  return { confirmation: '1' }
}

function classifyCallback(request: RequestDescription, policy: OriginPolicy): CallbackRequest | RefusedRequest {
  const { method, target, kind, fetchSite, source, referer, mayBeFromProvider, isOriginOfHost } = request
  const { search, searchParams } = target
  // A key has no space: a plus is one that the provider has not encoded.
  const query = search.includes('+') ? new URLSearchParams(search.replaceAll('+', '%2B')) : searchParams
  // A callback is a GET, except for the form of our own page that sends it again with the tab's secret.
  const tabSecret = policy.tabBinding && method === 'POST' ? tabSecretOfCallback(query) : undefined
  if (method !== 'GET' && tabSecret === undefined) return refused('method_not_allowed', 'callback')
  const misplacement = misplacementOf(query)
  if (misplacement !== undefined) return refused('auth_key_malformed', 'callback', MISPLACED_KEY[misplacement])
  if (!request.isAtCallback) return refused('callback_forged', 'callback', WRONG_PATH)
  const [authKey = '', ...others] = query.getAll('auth_key')
  if (authKey === '' && others.length === 0)
    return refused('auth_key_missing', 'callback', isVerifiedStart(request) ? ONE_ROUTE : undefined)
  if (others.length > 0 || !isAuthKey(authKey)) return refused('auth_key_malformed', 'callback')
  return { type: 'callback', authKey, tabSecret, kind, fetchSite, source, referer, mayBeFromProvider, isOriginOfHost }
}

function refused(code: OutcomeCode, phase: Phase, hint?: string): RefusedRequest {
  return { type: 'refused', code, phase, hint }
}
