import type { Action } from './actions'
import { confirmPageHeaders, renderConfirmPage } from './confirm-page'
import { type Phase, PRIVATE_ANSWER_HEADERS, SocialLoginError } from './errors'
import { isObject } from './json'
import { type AuthenticateOptions, readCallbackURL } from './options'
import { LoginsInFlight } from './pending-login/in-flight'
import { createPendingLogin, type PendingLogin, type PendingLoginStore, refusalOf } from './pending-login/record'
import type { Redeemer } from './redeem'
import {
  type CallbackRequest,
  type RefusedRequest,
  type RequestRules,
  readRequest,
  type StartRequest,
  signedInUser,
} from './request'
import { type AnyVerifyFunction, callVerify, type Request, type Verdict } from './verify'

/** What a login of one strategy is made with. */
export interface LoginFlowSettings {
  /** Digest of the strategy's name, the provider and the application id. */
  readonly context: string
  readonly loginURL: string
  readonly rules: RequestRules
  readonly store: PendingLoginStore
  readonly redeemer: Redeemer
  readonly verify: AnyVerifyFunction
  readonly passReqToCallback: boolean
  readonly verifyTimeout: number
}

/** What the strategy adds to the `info` of a successful login (`req.authInfo`). */
export interface LoginInfo {
  /** The local path given to the start. */
  readonly returnTo?: string
  /** The state given to the start. */
  readonly state?: unknown
}

/** The way of a login through the rooms: what came in, the record, the provider, the verify function, one action. */
export class LoginFlow {
  readonly #settings: LoginFlowSettings
  readonly #inFlight = new LoginsInFlight<Verdict>()

  constructor(settings: LoginFlowSettings) {
    this.#settings = settings
  }

  /**
   * Decides what a request ends in.
   *
   * @throws SocialLoginError for every outcome of the table that is not written as an answer
   */
  async handle(req: Request, options: AuthenticateOptions): Promise<Action> {
    const rules = this.#rulesFor(options)
    const request = readRequest(req, rules)
    if (request.type === 'refused') return refusedAction(request)
    return request.type === 'start' ? this.#start(req, request, options) : this.#callback(req, request, options)
  }

  #rulesFor(options: AuthenticateOptions): RequestRules {
    const { rules } = this.#settings
    if (options.callbackURL === undefined) return rules
    const { path, origin } = readCallbackURL(options.callbackURL, true)
    return { ...rules, callbackPath: path, appOrigin: origin ?? rules.appOrigin }
  }

  async #start(req: Request, start: StartRequest, options: AuthenticateOptions): Promise<Action> {
    const { context, loginURL, rules, store } = this.#settings
    if (!start.proven && rules.unprovenStart === 'confirm') return confirmAction(start, rules)
    const record = createPendingLogin({
      context,
      user: signedInUser(req),
      startSite: start.site,
      returnTo: options.returnTo,
      state: options.state,
    })
    await kept('start', () => store.save(req, record))
    return { type: 'redirect', url: loginURL }
  }

  async #callback(req: Request, callback: CallbackRequest, options: AuthenticateOptions): Promise<Action> {
    const { store } = this.#settings
    const record = await kept('callback', () => store.load(req))
    const verdict = record && (await this.#takeUp(req, callback, record))
    if (!record || !verdict) return withoutRecord(req, options)
    const { user, info } = verdict
    if (!user) return { type: 'fail', info, status: 401 }
    return { type: 'success', user, info: withLoginInfo(info, record) }
  }

  /** The login that this callback finishes or shares, or undefined when another callback has used its record. */
  async #takeUp(req: Request, callback: CallbackRequest, record: PendingLogin): Promise<Verdict | undefined> {
    if (record.consumed || this.#inFlight.has(record.id)) return this.#share(req, callback, record)
    const refusal = refusalOf(record, this.#settings.context, signedInUser(req))
    if (refusal) return this.#refuse(req, refusal)
    // A callback that was typed or mailed belongs only to a start that was.
    if (callback.site === 'none' && record.startSite !== 'none')
      throw new SocialLoginError('callback_forged', 'callback')
    return this.#inFlight.start(record.id, callback.authKey, () => this.#finish(req, callback, record))
  }

  async #share(req: Request, { authKey }: CallbackRequest, record: PendingLogin): Promise<Verdict | undefined> {
    const shared = this.#inFlight.join(record.id, authKey)
    // This request's copy of the session may be older than the consumption, and saved after it.
    if (!record.consumed) await kept('callback', () => this.#settings.store.consume(req, record))
    return shared
  }

  async #refuse(req: Request, code: NonNullable<ReturnType<typeof refusalOf>>): Promise<never> {
    // The record of another provider may still belong to a login under way.
    if (code !== 'context_mismatch') await kept('callback', () => this.#settings.store.remove(req))
    throw new SocialLoginError(code, 'callback')
  }

  async #finish(req: Request, { authKey }: CallbackRequest, record: PendingLogin): Promise<Verdict> {
    const { store, redeemer, verify, passReqToCallback, verifyTimeout } = this.#settings
    await kept('callback', () => store.consume(req, record))
    try {
      const { params, profile } = await redeemer.redeem(authKey)
      const input = { req, accessToken: params.access_token, params, profile }
      return await callVerify(verify, input, { passReqToCallback, timeout: verifyTimeout })
    } finally {
      await kept('callback', () => store.remove(req))
    }
  }
}

/** Reload, back button, double click: whoever is signed in goes on to where the login would have led. */
function withoutRecord(req: Request, options: AuthenticateOptions): Action {
  const destination = options.successReturnToOrRedirect ?? options.successRedirect
  // Under passport.authorize the user was signed in all along, and the route expects the account that is not there.
  const mayGoOn = signedInUser(req) !== undefined && (destination !== undefined || !options.assignProperty)
  if (!mayGoOn) throw new SocialLoginError('login_not_started', 'callback')
  return destination === undefined ? { type: 'pass' } : { type: 'redirect', url: destination }
}

function refusedAction({ code, phase, hint }: RefusedRequest): Action {
  const refusal = new SocialLoginError(code, phase, hint === undefined ? {} : { hint })
  if (code !== 'speculative_request') throw refusal
  // An empty answer that is no success: the browser drops it and asks again when the person does.
  return {
    type: 'answer',
    answer: { status: refusal.status, headers: PRIVATE_ANSWER_HEADERS, body: '' },
    fallback: refusal,
  }
}

function confirmAction({ target, method }: StartRequest, { providerOrigin }: RequestRules): Action {
  const body = renderConfirmPage({ target, method, provider: new URL(providerOrigin).host })
  return {
    type: 'answer',
    answer: { status: 200, headers: confirmPageHeaders(providerOrigin), body },
    fallback: new SocialLoginError('start_forbidden', 'start'),
  }
}

function withLoginInfo(info: unknown, { returnTo, state }: PendingLogin): object & LoginInfo {
  const own = isObject(info) ? info : typeof info === 'string' ? { message: info } : {}
  return { ...own, ...(returnTo !== undefined && { returnTo }), ...(state !== undefined && { state }) }
}

async function kept<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    // The store's own error may quote a connection string.
    throw new SocialLoginError('session_unavailable', phase)
  }
}
