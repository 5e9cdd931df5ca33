import { Deadline } from '../client/deadline'
import type { Profile } from '../client/response/profile'
import { type PhaseOutcome, Trace } from '../diagnostics'
import { type Phase, SocialLoginError } from '../errors'
import { callback } from './callback'
import {
  type LoginAction,
  type LoginContext,
  type Refusal,
  type RequestAdapter,
  returnToOf,
  type Verdict,
} from './context'
import { loadProfile } from './exchange'
import { refusalResponse } from './pages/refusal'
import { summaryOf } from './pending-login/check'
import type { PendingLogin, PendingLoginSummary } from './pending-login/pending-login'
import { loadRecord } from './pending-login/store'
import { UsedLogins } from './pending-login/used-logins'
import type { LoginSettings } from './providers/provider'
import type { Providers } from './providers/providers'
import { type HTTPRequest, phaseWithoutProvider } from './request/description'
import { pathOf } from './request/paths'
import { type AnyRequest, classifyRequest } from './request/request'
import { start } from './start'

/** What a request comes to, and the origin of the application as far as the provider, and so the callback, is known. */
export interface HandledRequest<User> {
  readonly action: LoginAction<User>
  readonly appOrigin: string | undefined
}

/** The logins of one strategy, independent of the framework. */
export class Login<User = unknown> {
  readonly #providers: Pick<Providers, 'name' | 'find' | 'close'>
  readonly #usedLogins = new UsedLogins<Verdict<User>>()
  #closing: Promise<void> | undefined

  constructor(providers: Pick<Providers, 'name' | 'find' | 'close'>) {
    this.#providers = providers
  }

  /**
   * Handles one request. The record that connects the start of a login with its callback is
   * `login/pending-login/pending-login.ts`; `check.ts` beside it has the rules by which a callback is accepted.
   * CONTRIBUTING.md lists the files that implement a login, in the order in which it enters them.
   *
   * What bounds a login is in `limits.ts`, and in options. Nothing bounds the number of starts: an application limits
   * these as it limits any page.
   * @throws only what a function of the application has thrown
   */
  async handle(adapter: RequestAdapter<User>): Promise<HandledRequest<User>> {
    let appOrigin: string | undefined
    let record: PendingLogin | undefined
    const onOwnCallback = (own: PendingLogin): void => {
      record = own
    }
    try {
      const settings = await this.#settingsOf(adapter)
      appOrigin = settings.appOrigin
      return { action: await this.#run(adapter, settings, onOwnCallback), appOrigin }
    } catch (error) {
      // What refuses a start or a callback ends here. (That verify accepts no one is a verdict.)
      if (!(error instanceof SocialLoginError)) throw error
      return { action: { ...refusalOf(error, adapter.http), ...returnToOf(record) }, appOrigin }
    }
  }

  async #settingsOf(adapter: RequestAdapter<User>): Promise<LoginSettings> {
    const phaseOf = (): Phase => phaseWithoutProvider(adapter.http)
    try {
      return await this.#find(adapter, phaseOf)
    } catch (error) {
      return new Trace(this.#providers.name).run(phaseOf(), () => Promise.reject(error))
    }
  }

  #run(
    adapter: RequestAdapter<User>,
    settings: LoginSettings,
    onOwnCallback: LoginContext['onOwnCallback'],
  ): Promise<LoginAction<User>> {
    const trace = new Trace(settings.name, settings.isOneOfMany ? settings.providerName : undefined)
    const context = { settings, adapter, usedLogins: this.#usedLogins, trace, onOwnCallback }
    const request = classifyRequest(adapter.http, settings)
    return trace.run(phaseOfRequest(request), () => handleRequest(context, request), phaseOutcomeOf)
  }

  /** The login that this browser has begun, if a callback may still finish it. Changes nothing. */
  async pending(
    adapter: Pick<RequestAdapter, 'options' | 'store' | 'currentUserKey' | 'findProvider'>,
  ): Promise<PendingLoginSummary | undefined> {
    const settings = await this.#find(adapter, () => 'start')
    const record = await loadRecord('start', settings.timeout, adapter.store)
    if (!record || this.#usedLogins.isUsed(record)) return undefined
    return summaryOf(record, { settings, user: adapter.currentUserKey() })
  }

  #find(
    { findProvider, options }: Pick<RequestAdapter, 'options' | 'findProvider'>,
    phaseOf: () => Phase,
  ): LoginSettings | Promise<LoginSettings> {
    return this.#providers.find(() => findProvider(), phaseOf, options.callbackURL)
  }

  /** The profile for a token that the application already has. Not used by a login. */
  async loadProfile(accessToken: string): Promise<Profile> {
    const settings = await this.#providers.find(
      () => {
        throw new TypeError('userProfile() cannot know the provider of a token: use SocialLoginClient')
      },
      () => 'profile',
    )
    const deadline = new Deadline(settings.timeout)
    try {
      return await settings.concurrentLogins.run(deadline, () => loadProfile(settings, accessToken, { deadline }))
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

function phaseOfRequest(request: AnyRequest): Phase {
  if (request.type === 'refused') return request.phase
  return request.type === 'callback' ? 'callback' : 'start'
}

async function handleRequest<User>(context: LoginContext<User>, request: AnyRequest): Promise<LoginAction<User>> {
  switch (request.type) {
    case 'refused':
      throw new SocialLoginError(request.code, request.phase, { hint: request.hint })
    case 'routed': {
      const { response } = request
      const fallbackError = new SocialLoginError('navigation_required', 'start')
      return { type: 'page', page: 'router', response, fallbackError }
    }
    case 'start':
      return start(context, request)
    case 'callback':
      return callback(context, request)
  }
}

function refusalOf(error: SocialLoginError, http: HTTPRequest): Refusal {
  switch (error.code) {
    case 'speculative_request':
      // The browser discards an empty error response and repeats the request when the user follows the link.
      return { type: 'refused', error, response: { status: error.status, headers: error.headers, body: '' } }
    case 'navigation_required':
      // A script gets JSON immediately, because it would follow a `failureRedirect` to a page.
      return { type: 'refused', error, response: refusalResponse(error, pathOf(http), 'application/json') }
    default:
      return { type: 'refused', error }
  }
}

function phaseOutcomeOf(action: LoginAction): PhaseOutcome {
  if (action.type === 'page') return { page: action.page }
  return action.type === 'verdict' && !action.verdict.user ? { code: 'verify_refused' } : {}
}
