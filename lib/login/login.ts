import { Deadline } from '../client/deadline'
import type { Profile } from '../client/response/profile'
import { type Outcome, Trace } from '../diagnostics'
import { type Phase, SocialLoginError } from '../errors'
import { callback } from './callback'
import type { LoginAction, LoginContext, RequestAdapter, Verdict } from './context'
import { loadProfile } from './exchange'
import { refusalResponse } from './pages/refusal'
import { tabCookies } from './pending-login/after-tab'
import { summaryOf } from './pending-login/check'
import { type PendingLoginSummary, parsePendingLogin } from './pending-login/pending-login'
import { callStore } from './pending-login/store'
import { UsedLogins } from './pending-login/used-logins'
import type { LoginSettings } from './providers/provider'
import type { Providers } from './providers/providers'
import { type HTTPRequest, pathOf } from './request/headers'
import { type CallbackRequest, classifyRequest, type RefusedRequest, type StartRequest } from './request/request'
import { start } from './start'

/** The logins of one strategy, independent of the framework. */
export class Login<User = unknown> {
  readonly #providers: Providers
  readonly #usedLogins = new UsedLogins<Verdict<User>>()
  #closing: Promise<void> | undefined

  constructor(providers: Providers) {
    this.#providers = providers
  }

  /**
   * Handles one request. The record that connects the start of a login with its callback is
   * `login/pending-login/pending-login.ts`; `check.ts` beside it has the rules by which a callback is accepted. Seven
   * files of `lib/` implement a login:
   *
   * - `passport/strategy.ts` receives the request from Passport, and describes it to `Login` as a `RequestAdapter`.
   * - `login/login.ts` finds the provider of the request, and calls what handles it.
   * - `login/request/request.ts` classifies the request: a start, a callback, or one to refuse.
   * - `login/start.ts` stores a pending login for the browser, and redirects to the provider.
   * - `login/callback.ts` checks the callback against that record, and uses the record once.
   * - `login/exchange.ts` exchanges the key for a token, and the token for a profile.
   * - `passport/verify.ts` calls the application's verify function, and waits for its first answer.
   *
   * What bounds a login is in `limits.ts`, and in options. Nothing bounds the number of starts: an application limits
   * these as it limits any page.
   * @throws SocialLoginError for every outcome of the table in `errors.ts`, unless a page of our own answers
   */
  async handle(adapter: RequestAdapter<User>): Promise<LoginAction<User>> {
    return this.run(adapter, await this.settingsOf(adapter))
  }

  async settingsOf(adapter: RequestAdapter<User>): Promise<LoginSettings> {
    // Until its provider is known, a request counts as a callback if its target mentions a key.
    const phase = adapter.http.target.includes('auth_key') ? 'callback' : 'start'
    try {
      return await this.#find(adapter, phase)
    } catch (error) {
      return new Trace(this.#providers.name).run(phase, () => Promise.reject(error))
    }
  }

  run(adapter: RequestAdapter<User>, settings: LoginSettings): Promise<LoginAction<User>> {
    const trace = new Trace(settings.name, settings.tracedProvider)
    const context = { settings, adapter, usedLogins: this.#usedLogins, trace }
    const request = classifyRequest(adapter.http, settings)
    return trace.run(phaseOf(request), () => handleRequest(context, request), outcomeOf)
  }

  /** The login that this browser has begun, if a callback may still finish it. Changes nothing. */
  async pending(
    adapter: Pick<RequestAdapter, 'options' | 'store' | 'currentUserKey' | 'findProvider'>,
  ): Promise<PendingLoginSummary | undefined> {
    const settings = await this.#find(adapter, 'start')
    const record = parsePendingLogin(await callStore('start', settings.timeout, () => adapter.store.load()))
    if (!record || record.consumed || this.#usedLogins.has(record.id)) return undefined
    return summaryOf(record, { settings, user: adapter.currentUserKey() })
  }

  #find(
    { findProvider, options }: Pick<RequestAdapter, 'options' | 'findProvider'>,
    phase: Phase,
  ): LoginSettings | Promise<LoginSettings> {
    return this.#providers.find(() => findProvider(), phase, options.callbackURL)
  }

  /** The profile for a token that the application already has. Not used by a login. */
  async loadProfile(accessToken: string): Promise<Profile> {
    const settings = await this.#providers.find(() => {
      throw new TypeError('userProfile() cannot know the provider of a token: use SocialLoginClient')
    }, 'profile')
    const deadline = new Deadline(settings.timeout)
    try {
      return await loadProfile(settings, accessToken, { deadline })
    } finally {
      deadline.clear()
    }
  }

  /** Closes the connections once the logins that wait for the provider have ended. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#providers.close()
    return this.#closing
  }
}

type AnyRequest = StartRequest | CallbackRequest | RefusedRequest

function phaseOf(request: AnyRequest): Phase {
  return request.type === 'refused' ? request.phase : request.type
}

function handleRequest<User>(context: LoginContext<User>, request: AnyRequest): Promise<LoginAction<User>> {
  const { adapter, settings } = context
  const { http } = adapter
  if (request.type === 'refused') return refuse(request, http)
  if (request.type === 'callback' && request.tabSecret !== undefined) adapter.addCookies(tabCookies(settings))
  // This is checked before anything is spent: otherwise every login would fail after its key has been exchanged.
  if (!adapter.canSignIn()) return refuse({ code: 'session_unsupported', phase: request.type }, http)
  return request.type === 'start' ? start(context, request) : callback(context, request)
}

async function refuse(
  { code, phase, hint, response: toRouter }: Omit<RefusedRequest, 'type'>,
  http: HTTPRequest,
): Promise<LoginAction<never>> {
  const error = new SocialLoginError(code, phase, { hint })
  if (toRouter) return { type: 'respond', response: toRouter, page: 'router', fallbackError: error }
  if (code === 'speculative_request') {
    // The browser discards an empty error response and repeats the request when the person follows the link.
    const response = { status: error.status, headers: error.headers, body: '' }
    return { type: 'respond', response, fallbackError: error }
  }
  if (code !== 'navigation_required') throw error
  // A script gets JSON at once, because it would follow a `failureRedirect` to a page.
  return { type: 'respond', response: refusalResponse(error, pathOf(http), 'application/json'), fallbackError: error }
}

function outcomeOf(action: LoginAction): Outcome {
  switch (action.type) {
    case 'verdict':
      return action.verdict.user ? {} : { code: 'verify_refused' }
    case 'respond':
      return action.page === undefined ? { code: action.fallbackError.code } : { page: action.page }
    case 'redirect':
      return {}
  }
}
