import { parseCallbackURL } from '../client/option-values'
import { Trace, type TracedPhase } from '../diagnostics'
import { type FailureInfo, PRIVATE_HEADERS, SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import { callback } from './callback'
import type { LoginAction, LoginContext, LoginOptions, LoginRequest, LoginSettings, Verdict } from './context'
import type { HTTPResponse } from './pages/page'
import { checkRecord, type PendingLoginSummary, readPendingLogin, summaryOf } from './pending-login'
import { type ProviderSettings, strategyDigest } from './provider'
import { type CallbackRequest, type RefusedRequest, readRequest, type StartRequest } from './request'
import { start } from './start'
import { UsedLogins } from './used-logins'

/** The logins of one strategy, independent of the framework. */
export class Login<User = unknown> {
  readonly #settings: LoginSettings
  readonly #usedLogins = new UsedLogins<Verdict<User>>()
  #closing: Promise<void> | undefined

  constructor(settings: LoginSettings) {
    this.#settings = settings
  }

  /**
   * Handles one request.
   *
   * @throws SocialLoginError for every outcome of the table that is not an action
   */
  async handle(request: LoginRequest<User>): Promise<LoginAction<User>> {
    const context = this.#contextOf(request, this.#settings.providers.single ?? (await this.#findProvider(request)))
    const read = readRequest(request.http, context.rules)
    const phase = read.type === 'refused' ? read.phase : read.type
    return context.trace.run(phase, () => decide(context, read), codeOf)
  }

  /**
   * The login that this browser has begun, if a callback may still finish it. Changes nothing.
   *
   * @throws SocialLoginError `session_unavailable`, and what {@link ManyProviders.find} throws
   */
  async pending(
    request: Pick<LoginRequest, 'options' | 'store' | 'currentUserKey' | 'findProvider'>,
  ): Promise<PendingLoginSummary | undefined> {
    const { providers, timeout } = this.#settings
    const provider = providers.single ?? (await providers.find(() => request.findProvider(), 'start'))
    const { strategyDigest } = callbackOf(provider, request.options)
    const record = readPendingLogin(await callStore('start', timeout, () => request.store.load()))
    if (!record || record.consumed || this.#usedLogins.has(record.id)) return undefined
    return checkRecord(record, { strategyDigest, user: request.currentUserKey() }) ? undefined : summaryOf(record)
  }

  /** Closes the connections after pending logins have ended. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#settings.providers.close()
    return this.#closing
  }

  /** Without its provider, a request is a callback if its address mentions a key. */
  async #findProvider(request: LoginRequest<User>): Promise<ProviderSettings> {
    const { name, providers } = this.#settings
    if (providers.single) return providers.single
    const phase = request.http.target.includes('auth_key') ? 'callback' : 'start'
    try {
      return await providers.find(() => request.findProvider(), phase)
    } catch (error) {
      return new Trace(name).run(phase, () => Promise.reject(error))
    }
  }

  #contextOf(request: LoginRequest<User>, provider: ProviderSettings): LoginContext<User> {
    const settings = this.#settings
    const trace = new Trace(settings.name, settings.providers.single ? undefined : provider.name)
    const { rules, strategyDigest } = callbackOf(provider, request.options)
    return { rules, strategyDigest, settings, provider, request, usedLogins: this.#usedLogins, trace }
  }
}

/** What the `callbackURL` of one request changes. */
function callbackOf(
  { rules, identity, strategyDigest: usual }: ProviderSettings,
  { callbackURL }: LoginOptions,
): Pick<LoginContext, 'rules' | 'strategyDigest'> {
  if (callbackURL === undefined) return { rules, strategyDigest: usual }
  const { path, origin = rules.appOrigin } = parseCallbackURL(callbackURL, 'callbackURL', { allowInsecureHTTP: true })
  return {
    rules: { ...rules, callbackPath: path, appOrigin: origin },
    strategyDigest: strategyDigest(identity, path, origin === rules.appOrigin ? '' : origin),
  }
}

function decide<User>(
  context: LoginContext<User>,
  read: StartRequest | CallbackRequest | RefusedRequest,
): Promise<LoginAction<User>> {
  if (read.type === 'refused') return refuse(read)
  // Before anything is stored or spent: otherwise every login would fail after its key has been exchanged.
  if (!context.request.canSignIn()) return refuse({ code: 'session_unsupported', phase: read.type })
  return read.type === 'start' ? start(context, read) : callback(context, read)
}

async function refuse({ code, phase, hint }: Omit<RefusedRequest, 'type'>): Promise<LoginAction<never>> {
  const error = new SocialLoginError(code, phase, hint === undefined ? {} : { hint })
  const { status, message } = error
  // An empty error response: the browser discards it and repeats the request when the person follows the link.
  if (code === 'speculative_request') return respond(error, { status, headers: PRIVATE_HEADERS, body: '' })
  if (code !== 'navigation_required') throw error
  // A script would follow a `failureRedirect` to a page, and Passport's own answer does not say why.
  const headers = { ...PRIVATE_HEADERS, 'Content-Type': 'application/json; charset=utf-8' }
  return respond(error, { status, headers, body: JSON.stringify({ code, message } satisfies FailureInfo) })
}

function respond(otherwise: SocialLoginError, response: HTTPResponse): LoginAction<never> {
  return { type: 'respond', response, otherwise }
}

/** The code of an action. A page of our own with status 200 (confirm, tab) is a step of the login, not an outcome. */
function codeOf(action: LoginAction): TracedPhase['code'] {
  if (action.type === 'decided' && !action.verdict.user) return 'verify_refused'
  return action.type === 'respond' && action.response.status !== 200 ? action.otherwise.code : undefined
}
