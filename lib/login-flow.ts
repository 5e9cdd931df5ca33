import type { Action } from './actions'
import { type Phase, PRIVATE_ANSWER_HEADERS, SocialLoginError } from './errors'
import { isObject } from './json'
import { type AuthenticateOptions, readCallbackURL } from './options'
import { confirmPage, type RenderConfirmPage } from './pages/confirm-page'
import { tabCallbackPage, tabStartPage } from './pages/tab-pages'
import { LoginsInFlight } from './pending-login/in-flight'
import {
  createPendingLogin,
  FINAL_REFUSALS,
  type PendingLogin,
  type PendingLoginStore,
  type Refusal,
  refusalOf,
  type StateParameter,
  stateOf,
} from './pending-login/record'
import type { Redeemer } from './redeem'
import { type CallbackRequest, type RefusedRequest, type RequestRules, readRequest, type StartRequest } from './request'
import { signedInUser } from './signed-in-user'
import { type AnyVerifyFunction, callVerify, type Request, type Verdict } from './verify'

/** What a login of one strategy is made with. */
export interface LoginFlowSettings {
  /** Digest of the strategy's name, the provider and the application id. */
  readonly context: string
  readonly loginURL: string
  readonly rules: RequestRules
  readonly stateParameter: StateParameter
  readonly confirmPage: RenderConfirmPage | undefined
  readonly store: PendingLoginStore
  readonly redeemer: Redeemer
  readonly verify: AnyVerifyFunction
  readonly passReqToCallback: boolean
  readonly verifyTimeout: number
}

/** What is known of how a callback came, so that an application can ask for more where it trusts less. */
export interface Assurance {
  /** Milliseconds from the start to the callback. */
  readonly age: number
  /** `Sec-Fetch-Site` of the callback; null where the browser sent none, and only the Referer was checked. */
  readonly fetchSite: string | null
  /** `Sec-Fetch-Site` of the start; null where the browser sent none. */
  readonly startSite: string | null
  /** Whose page the Referer of the callback named. */
  readonly referer: 'provider' | 'app' | 'absent'
  /** Whether the provider repeated the `state` of this login (see `stateParameter`). */
  readonly stateEchoed: boolean
  /** Whether the callback came to the tab of the start (see `tabBinding`). */
  readonly tabBound: boolean
}

/** What the strategy adds to the `info` of a login: `req.authInfo`, in the verify function too if it gets the request. */
export interface LoginInfo {
  readonly assurance: Assurance
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
    const request = readRequest(req, this.#rulesFor(options))
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
    const page = this.#pageBeforeStart(start)
    if (page) return page
    const { context, loginURL, store, stateParameter, redeemer } = this.#settings
    const record = createPendingLogin({
      context,
      user: signedInUser(req),
      startSite: start.site,
      tabSecret: start.tabSecret,
      returnTo: options.returnTo,
      state: options.state,
    })
    await kept('start', () => store.save(req, record))
    redeemer.prepare()
    const url = stateParameter === 'off' ? loginURL : `${loginURL}&state=${stateOf(record)}`
    return { type: 'redirect', url, toProvider: true }
  }

  #pageBeforeStart({ target, method, proven, tabSecret }: StartRequest): Action | undefined {
    const { rules, confirmPage: render } = this.#settings
    const { providerOrigin, unprovenStart, tabBinding } = rules
    const fallback = new SocialLoginError('start_forbidden', 'start')
    if (!proven && unprovenStart === 'confirm') {
      return { type: 'answer', answer: confirmPage({ target, method, providerOrigin }, render), fallback }
    }
    if (tabBinding && tabSecret === undefined) {
      return { type: 'answer', answer: tabStartPage(target, method, providerOrigin), fallback }
    }
    return undefined
  }

  async #callback(req: Request, callback: CallbackRequest, options: AuthenticateOptions): Promise<Action> {
    const record = await kept('callback', () => this.#settings.store.load(req))
    if (!record) return withoutRecord(req, options)
    if (record.consumed || this.#inFlight.has(record.id)) return this.#share(req, callback, record, options)
    // From here to the start of the login nothing waits, so that of two callbacks only one can get there.
    const refusal = refusalOf(record, this.#evidence(req, callback))
    if (refusal) return this.#refuse(req, refusal)
    if (this.#settings.rules.tabBinding && callback.tabSecret === undefined) return this.#askTab(callback, options)
    const info = loginInfo(record, callback)
    const login = this.#inFlight.start(record.id, callback.authKey, () => this.#finish(req, callback, record, info))
    return conclude(await login, info)
  }

  #evidence(req: Request, { site, state, tabSecret }: CallbackRequest) {
    const { context, stateParameter } = this.#settings
    return { context, user: signedInUser(req), site, state, stateParameter, tabSecret }
  }

  async #refuse(req: Request, refusal: Refusal): Promise<never> {
    if (FINAL_REFUSALS.has(refusal)) await kept('callback', () => this.#settings.store.remove(req))
    throw new SocialLoginError(refusal, 'callback')
  }

  #askTab({ authKey }: CallbackRequest, options: AuthenticateOptions): Action {
    const { callbackPath, providerOrigin } = this.#rulesFor(options)
    const answer = tabCallbackPage(callbackPath, authKey, providerOrigin)
    return { type: 'answer', answer, fallback: new SocialLoginError('tab_mismatch', 'callback') }
  }

  /** A callback whose record is used: it shares the login that it is a double of, if that is still under way. */
  async #share(
    req: Request,
    callback: CallbackRequest,
    record: PendingLogin,
    options: AuthenticateOptions,
  ): Promise<Action> {
    const shared = this.#inFlight.join(record.id, callback.authKey)
    // Too late to share: this request's session is an old copy, and to save it would undo the login that has ended.
    if (shared === undefined) return withoutRecord(req, options)
    // The copy may still hold the record unused, and may be saved after the one in which it is used.
    if (!record.consumed) await kept('callback', () => this.#settings.store.consume(req, record))
    return conclude(await shared, loginInfo(record, callback))
  }

  async #finish(req: Request, { authKey }: CallbackRequest, record: PendingLogin, info: LoginInfo): Promise<Verdict> {
    const { store, redeemer, verify, passReqToCallback, verifyTimeout } = this.#settings
    await kept('callback', () => store.consume(req, record))
    try {
      const { params, profile } = await redeemer.redeem(authKey)
      if (passReqToCallback) Object.assign(req, { authInfo: info })
      const input = { req, accessToken: params.access_token, params, profile }
      return await callVerify(verify, input, { passReqToCallback, timeout: verifyTimeout })
    } finally {
      await kept('callback', () => store.remove(req))
    }
  }
}

function conclude({ user, info }: Verdict, login: LoginInfo): Action {
  if (!user) return { type: 'fail', info, status: 401 }
  const own = isObject(info) ? info : typeof info === 'string' ? { message: info } : {}
  return { type: 'success', user, info: { ...own, ...login } }
}

function loginInfo(record: PendingLogin, callback: CallbackRequest): LoginInfo {
  const { returnTo, state, issuedAt, startSite } = record
  return {
    assurance: {
      age: Date.now() - issuedAt,
      fetchSite: callback.site ?? null,
      startSite,
      referer: callback.referer,
      stateEchoed: callback.state === stateOf(record),
      tabBound: callback.tabSecret !== undefined,
    },
    ...(returnTo !== undefined && { returnTo }),
    ...(state !== undefined && { state }),
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
  const fallback = new SocialLoginError(code, phase, hint === undefined ? {} : { hint })
  if (code !== 'speculative_request') throw fallback
  // An empty answer that is no success: the browser drops it and asks again when the person does.
  return { type: 'answer', answer: { status: fallback.status, headers: PRIVATE_ANSWER_HEADERS, body: '' }, fallback }
}

async function kept<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A store's own error may quote a connection string.
    throw error instanceof SocialLoginError ? error : new SocialLoginError('session_unavailable', phase)
  }
}
