import { readCallbackURL } from '../client/option-values'
import { Semaphore } from '../client/semaphore'
import { Trace, type TracedPhase } from '../diagnostics'
import { type FailureInfo, PRIVATE_HEADERS, SocialLoginError } from '../errors'
import { callStore } from './browser-store'
import { callback } from './callback'
import type { LoginAction, LoginContext, LoginOptions, LoginRequest, LoginSettings, Verdict } from './context'
import type { HTTPResponse } from './pages/page'
import { checkRecord, digest, type PendingLoginSummary, readPendingLogin, summaryOf } from './pending-login'
import { Refusals } from './refusals'
import { type RefusedRequest, readRequest } from './request'
import { start } from './start'
import { UsedLogins } from './used-logins'

/** The logins of one strategy, independent of the framework. */
export class Login<User = unknown> {
  readonly #settings: LoginSettings
  readonly #usedLogins = new UsedLogins<Verdict<User>>()
  readonly #refusals: Refusals
  readonly #slots: Semaphore
  readonly #strategyDigest: string
  #closing: Promise<void> | undefined

  constructor(settings: LoginSettings) {
    this.#settings = settings
    this.#refusals = new Refusals(settings.name)
    this.#slots = new Semaphore(settings.maxConcurrentLogins)
    this.#strategyDigest = strategyDigest(settings.identity, settings.rules.callbackPath)
  }

  /**
   * Handles one request.
   *
   * @throws SocialLoginError for every outcome of the table that is not an action
   */
  async handle(request: LoginRequest<User>): Promise<LoginAction<User>> {
    const context = this.#contextOf(request)
    const read = readRequest(request.http, context.rules)
    const phase = read.type === 'refused' ? read.phase : read.type
    const decide = async (): Promise<LoginAction<User>> => {
      if (read.type === 'refused') return refuse(read)
      // Before anything is stored or spent: otherwise every login would fail after its key has been exchanged.
      if (!request.canSignIn()) throw new SocialLoginError('session_unsupported', read.type)
      return read.type === 'start' ? start(context, read) : callback(context, read)
    }
    return context.trace.run(phase, decide, codeOf)
  }

  /**
   * The login that this browser has begun, if a callback may still finish it. Changes nothing.
   *
   * @throws SocialLoginError `session_unavailable`
   */
  async pending(
    request: Pick<LoginRequest, 'options' | 'store' | 'currentUserKey'>,
  ): Promise<PendingLoginSummary | undefined> {
    const { options, store, currentUserKey } = request
    const { strategyDigest } = this.#callbackOf(options)
    const record = readPendingLogin(await callStore('start', this.#settings.timeout, () => store.load()))
    if (!record || record.consumed || this.#usedLogins.has(record.id)) return undefined
    return checkRecord(record, { strategyDigest, user: currentUserKey() }) ? undefined : summaryOf(record)
  }

  /** Closes the connections after pending logins have ended. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#slots.close().then(() => this.#settings.client.close())
    return this.#closing
  }

  #contextOf(request: LoginRequest<User>): LoginContext<User> {
    const { rules, strategyDigest } = this.#callbackOf(request.options)
    return {
      settings: this.#settings,
      rules,
      strategyDigest,
      request,
      usedLogins: this.#usedLogins,
      refusals: this.#refusals,
      slots: this.#slots,
      trace: new Trace(this.#settings.name),
    }
  }

  /** What the `callbackURL` of one request changes. */
  #callbackOf({ callbackURL }: LoginOptions): Pick<LoginContext, 'rules' | 'strategyDigest'> {
    const { rules, identity } = this.#settings
    if (callbackURL === undefined) return { rules, strategyDigest: this.#strategyDigest }
    const { path, origin = rules.appOrigin } = readCallbackURL(callbackURL, true)
    return {
      rules: { ...rules, callbackPath: path, appOrigin: origin },
      strategyDigest: strategyDigest(identity, path, origin === rules.appOrigin ? '' : origin),
    }
  }
}

/** Includes the callback's path: a login may mean something else at another callback, even of the same strategy. */
function strategyDigest(identity: readonly string[], callbackPath: string, otherOrigin = ''): string {
  return digest(...identity, callbackPath, otherOrigin)
}

function refuse({ code, phase, hint }: RefusedRequest): LoginAction<never> {
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
