import { isAuthKey } from '../../client/endpoints'
import type { OutcomeCode, Phase } from '../../errors'
import { MAX_TARGET_LENGTH } from '../../limits'
import { CONFIRMED_PARAMETER } from '../pages/confirm-page'
import type { HTTPResponse } from '../pages/page'
import { removeTabSecret, tabSecretOfCallback, tabSecretOfStart } from '../pages/tab-binding'
import { isCallbackSuffix, isSamePath } from './callback-path'
import {
  fetchSiteOf,
  type HTTPRequest,
  isFetch,
  isFormOfApp,
  isFromProvider,
  isNavigation,
  isNavigationByMetadata,
  isSpeculative,
  isVerifiedStart,
  type OriginPolicy,
  pathOf,
  refererOf,
  sourceOrigin,
  withoutOrigin,
} from './headers'
import { callbackHint, scriptHint, startHint } from './hints'
import { answerToRouter } from './routers'

export interface StartRequest {
  readonly type: 'start'
  readonly method: 'GET' | 'POST'
  /** Path and query of the request, safe for a link on the same origin. */
  readonly path: string
  /** Whether the request came from a page of this application or of an origin in `allowedStartOrigins`. */
  readonly verified: boolean
  /** What the link of the confirm page carries; undefined if the request does not come from there. */
  readonly confirmation: string | undefined
  readonly hasSource: boolean
  /** Whether the path is the end of the callback's: behind a proxy that strips a prefix, it may be a callback. */
  readonly isCallbackSuffix: boolean
  readonly fetchSite: string | undefined
  /** The secret stored in the tab; undefined if it has none yet. */
  readonly tabSecret: string | undefined
}

/** A callback with one well-formed key that may have come from the provider. */
export interface CallbackRequest {
  readonly type: 'callback'
  readonly authKey: string
  readonly fetchSite: string | undefined
  readonly referer: 'provider' | 'app' | 'absent'
  /** Undefined before the tab was asked; then its stored secret, or an empty string if it has none. */
  readonly tabSecret: string | undefined
}

export interface RefusedRequest {
  readonly type: 'refused'
  readonly code: OutcomeCode
  readonly phase: Phase
  readonly hint?: string
  /** Makes the client-side router that requested a start leave the navigation to the browser. */
  readonly response?: HTTPResponse
}

const WRONG_PATH_HINT =
  'It arrived at a path other than that of callbackURL, which must be the whole path of the registered redirect URL, including that of a router; if a proxy rewrites paths, give the path that your application receives as the option callbackURL at the start and at the callback.'

const ONE_ROUTE_HINT =
  'A page of this application led here: a login starts at a route of its own, not at that of callbackURL.'

/**
 * Classifies a request by its method, target and headers. It is a callback if its path is that of the callback, or if
 * its query mentions a key; else a start. Behind a proxy that strips a prefix, a callback without a key looks like a
 * start: `start` recognises it by the browser's record. What is refused changes nothing, and is never an `error`.
 */
export function classifyRequest(
  req: HTTPRequest,
  policy: OriginPolicy,
): StartRequest | CallbackRequest | RefusedRequest {
  const target = parseTarget(req.target)
  if (!target) return tooLong(req)
  const isCallback = isSamePath(target.pathname, policy.callbackPath) || mentionsAuthKey(target)
  const phase = isCallback ? 'callback' : 'start'
  const refusedAtOnce = classifyNonLogin(req, target, phase)
  if (refusedAtOnce) return refusedAtOnce
  return isCallback ? classifyCallback(req, target, policy) : classifyStart(req, target, policy)
}

/** What a client-side router requested, or nobody has asked for yet. A navigation by Fetch Metadata is no router's. */
function classifyNonLogin(req: HTTPRequest, target: URL, phase: 'start' | 'callback'): RefusedRequest | undefined {
  const mayBeRouted = phase === 'start' && isStartMethod(req.method) && !isNavigationByMetadata(req)
  const response = mayBeRouted ? answerToRouter(req, req.method, safePath(target)) : undefined
  // It comes first, because a router may keep the answer to a prefetch for the click.
  if (response) return { ...refused('navigation_required', phase), response }
  return isSpeculative(req) ? refused('speculative_request', phase) : undefined
}

function isStartMethod(method: string | undefined): method is 'GET' | 'POST' {
  return method === 'GET' || method === 'POST'
}

/** It has exactly one leading slash, because `//evil.example` is another host. */
function safePath({ pathname, search }: URL): string {
  return pathname.replace(/\/+/, '/') + search
}

function classifyStart(req: HTTPRequest, target: URL, policy: OriginPolicy): StartRequest | RefusedRequest {
  const { method } = req
  if (!isStartMethod(method)) return refused('method_not_allowed', 'start')
  // A redirect would take the script, not the browser, to the provider, where it would fail by CORS without a reason.
  if (isFetch(req)) return refused('navigation_required', 'start', scriptHint(req))
  const verified = isVerifiedStart(req, policy)
  // A frame, an image or a script never starts a login: only a navigation of the whole page does.
  if (!isNavigation(req) || (!verified && isConfirmedInVain(req, target, policy))) {
    return refused('start_forbidden', 'start', startHint(req, policy))
  }
  const tabSecret = policy.tabBinding && verified ? tabSecretOfStart(target.searchParams) : undefined
  // An unverified link may come from another site: a secret in it must not be taken for the tab's.
  if (policy.tabBinding && !verified) removeTabSecret(target.searchParams)
  const path = safePath(target)
  const fetchSite = fetchSiteOf(req)
  const hasSource = fetchSite !== undefined || sourceOrigin(req) !== ''
  const confirmation = target.searchParams.get(CONFIRMED_PARAMETER) ?? undefined
  return {
    type: 'start',
    method,
    path,
    verified,
    confirmation,
    hasSource,
    isCallbackSuffix: isCallbackSuffix(pathOf(req), policy.callbackPath),
    fetchSite,
    tabSecret,
  }
}

/** Whether the confirm page cannot help: it is not wanted, or its button was pressed and still no header shows that. */
function isConfirmedInVain(req: HTTPRequest, { searchParams }: URL, { unverifiedStart }: OriginPolicy): boolean {
  if (unverifiedStart !== 'confirm') return unverifiedStart === 'refuse'
  return fetchSiteOf(req) === undefined && searchParams.has(CONFIRMED_PARAMETER)
}

function classifyCallback(
  req: HTTPRequest,
  { search, searchParams }: URL,
  policy: OriginPolicy,
): CallbackRequest | RefusedRequest {
  // A key has no space: a plus is one that the provider has not encoded.
  const query = search.includes('+') ? new URLSearchParams(search.replaceAll('+', '%2B')) : searchParams
  // A callback is a GET, except for the form of our own page that sends it again with the tab's secret.
  const tabSecret = policy.tabBinding && req.method === 'POST' ? tabSecretOfCallback(query) : undefined
  const isFromTab = tabSecret !== undefined
  if (req.method !== 'GET' && !isFromTab) return refused('method_not_allowed', 'callback')
  const misplaced = hintOfMisplacedKey(query)
  if (misplaced !== undefined) return refused('auth_key_malformed', 'callback', misplaced)
  if (!isCallbackSuffix(pathOf(req), policy.callbackPath, policy.isCallbackCaseSensitive))
    return refused('callback_forged', 'callback', WRONG_PATH_HINT)
  const [authKey = '', ...others] = query.getAll('auth_key')
  if (authKey === '' && others.length === 0)
    return refused('auth_key_missing', 'callback', isVerifiedStart(req, policy) ? ONE_ROUTE_HINT : undefined)
  if (others.length > 0 || !isAuthKey(authKey)) return refused('auth_key_malformed', 'callback')
  const referer = refererOf(req, policy)
  // `isFromProvider` also accepts two cases that prove nothing: `Sec-Fetch-Site: none`, on which `checkCallback`
  // decides, and a browser that sends no `Sec-Fetch-Site`, of which only the Referer is checked.
  const isGenuine = isFromTab ? isFormOfApp(req, policy) : isFromProvider(req, policy)
  if (referer === 'foreign' || !isGenuine) return refused('callback_forged', 'callback', callbackHint(req, policy))
  return { type: 'callback', authKey, fetchSite: fetchSiteOf(req), referer, tabSecret }
}

function refused(code: OutcomeCode, phase: Phase, hint?: string): RefusedRequest {
  return { type: 'refused', code, phase, ...(hint !== undefined && { hint }) }
}

function tooLong({ target }: HTTPRequest): RefusedRequest {
  const hint = `The address of the request has more than ${MAX_TARGET_LENGTH.toLocaleString('en')} characters.`
  if (target.includes('auth_key')) return refused('auth_key_malformed', 'callback', hint)
  return refused('start_forbidden', 'start', hint)
}

/** Undefined if the target is too long. `req.query` will not do: Connect has none, and parsers make objects of it. */
function parseTarget(target: string): URL | undefined {
  if (target.length > MAX_TARGET_LENGTH) return undefined
  const path = withoutOrigin(target)
  return new URL(/^[/?]/.test(path) ? `http://localhost${path}` : 'http://localhost/')
}

function mentionsAuthKey({ search, searchParams }: URL): boolean {
  // The name is searched for first, because parsing a query of thousands of parameters takes long.
  return search.includes('auth_key') && (searchParams.has('auth_key') || hintOfMisplacedKey(searchParams) !== undefined)
}

/** A hint if the query shows one of the ways in which deployed servers and query parsers misplace the key. */
function hintOfMisplacedKey(query: URLSearchParams): string | undefined {
  for (const [name, value] of query) {
    if (value.includes('?auth_key=')) {
      return 'The provider appended "?auth_key=" to a URL that has a query: register a redirect URL without one.'
    }
    if (name === 'amp;auth_key') {
      return 'The provider appended "&amp;auth_key=": register a redirect URL without a query.'
    }
    if (name.startsWith('auth_key[')) return 'The auth_key must be a plain parameter, without brackets.'
  }
  return undefined
}
