import { readCallbackURL } from '../client/option-values'
import { Semaphore } from '../client/semaphore'
import { Trace, type TracedPhase } from '../diagnostics'
import { PRIVATE_HEADERS, SocialLoginError } from '../errors'
import { callback } from './callback'
import type { LoginAction, LoginContext, LoginRequest, LoginSettings, Verdict } from './context'
import { digest } from './pending-login'
import { type RefusedRequest, readRequest } from './request'
import { start } from './start'
import { UsedLogins } from './used-logins'

/** The logins of one strategy, whatever framework its requests come from. */
export class Login {
  readonly #settings: LoginSettings
  readonly #usedLogins = new UsedLogins<Verdict>()
  readonly #slots: Semaphore
  readonly #strategyDigest: string
  #closing: Promise<void> | undefined

  constructor(settings: LoginSettings) {
    this.#settings = settings
    this.#slots = new Semaphore(settings.maxConcurrentLogins)
    this.#strategyDigest = strategyDigest(settings.identity, settings.rules.callbackPath)
  }

  /**
   * Decides what a request ends in.
   *
   * @throws SocialLoginError for every outcome of the table that is no action
   */
  async handle(request: LoginRequest): Promise<LoginAction> {
    const context = this.#contextOf(request)
    const read = readRequest(request.http, context.rules)
    const phase = read.type === 'refused' ? read.phase : read.type
    const decide = async (): Promise<LoginAction> => {
      if (read.type === 'start') return start(context, read)
      if (read.type === 'callback') return callback(context, read)
      return refuse(read)
    }
    return context.trace.run(phase, decide, codeOf)
  }

  /** Lets the logins that wait for the provider end, and closes the connections. Again is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#slots.close().then(() => this.#settings.client.close())
    return this.#closing
  }

  #contextOf(request: LoginRequest): LoginContext {
    const { rules, identity, name } = this.#settings
    const shared = {
      settings: this.#settings,
      request,
      usedLogins: this.#usedLogins,
      slots: this.#slots,
      trace: new Trace(name),
    }
    const { callbackURL } = request.options
    if (callbackURL === undefined) return { ...shared, rules, strategyDigest: this.#strategyDigest }
    const { path, origin = rules.appOrigin } = readCallbackURL(callbackURL, true)
    return {
      ...shared,
      rules: { ...rules, callbackPath: path, appOrigin: origin },
      strategyDigest: strategyDigest(identity, path, origin === rules.appOrigin ? '' : origin),
    }
  }
}

/** A login that comes back to another callback, be it of the same strategy, may mean something else there. */
function strategyDigest(identity: readonly string[], callbackPath: string, otherOrigin = ''): string {
  return digest(...identity, callbackPath, otherOrigin)
}

function refuse({ code, phase, hint }: RefusedRequest): LoginAction {
  const error = new SocialLoginError(code, phase, hint === undefined ? {} : { hint })
  if (code !== 'speculative_request') throw error
  // An empty response that is no success: the browser drops it and asks again when the person does.
  const response = { status: error.status, headers: PRIVATE_HEADERS, body: '' }
  return { type: 'respond', response, otherwise: error }
}

/** What an action means: a page of our own with status 200 (confirm, tab) is a step of the login and no outcome. */
function codeOf(action: LoginAction): TracedPhase['code'] {
  if (action.type === 'decided' && !action.verdict.user) return 'verify_refused'
  return action.type === 'respond' && action.response.status !== 200 ? action.otherwise.code : undefined
}
