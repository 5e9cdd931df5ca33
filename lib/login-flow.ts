import { type Action, type Answer, setHeaders } from './actions'
import { within } from './deadline'
import { codeOfAction, Trace } from './diagnostics'
import { type Phase, PRIVATE_ANSWER_HEADERS, SocialLoginError } from './errors'
import { isObject } from './json'
import { type LoginInfo, loginInfo } from './login-info'
import { readCallbackURL } from './option-values'
import type { AuthenticateOptions } from './options'
import { confirmPage, type RenderConfirmPage } from './pages/confirm-page'
import { tabCallbackPage, tabStartPage } from './pages/tab-pages'
import { LoginsInFlight } from './pending-login/in-flight'
import {
  createPendingLogin,
  digest,
  FINAL_REFUSALS,
  type PendingLogin,
  type PendingLoginStore,
  type Refusal,
  refusalOf,
  type StateParameter,
  stateOf,
} from './pending-login/record'
import { NoSession } from './pending-login/session-store'
import type { Redeemed, Redeemer } from './redeem'
import {
  type CallbackRequest,
  plainPath,
  type RefusedRequest,
  type RequestRules,
  readRequest,
  type StartRequest,
} from './request'
import { signedInUser } from './signed-in-user'
import { type AnyVerifyFunction, callVerify, type Request, type Verdict } from './verify'

// As long as a session store commonly takes to fail over or to come back.
const STORE_RETRY_AFTER_SECONDS = 5

/** What a login of one strategy is made with. */
export interface LoginFlowSettings {
  /** The strategy's name. */
  readonly name: string
  /** Digest of the strategy's name, the provider and the application id. */
  readonly context: string
  readonly loginURL: string
  readonly rules: RequestRules
  readonly stateParameter: StateParameter
  readonly confirmPage: RenderConfirmPage | undefined
  readonly store: PendingLoginStore
  /** Milliseconds that a call of the store may take. */
  readonly storeTimeout: number
  readonly redeemer: Redeemer
  readonly verify: AnyVerifyFunction
  readonly passReqToCallback: boolean
  readonly verifyTimeout: number
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
    const trace = new Trace(this.#settings.name)
    const phase = request.type === 'refused' ? request.phase : request.type
    return trace.run(phase, () => this.#answer(req, request, options, trace), codeOfAction)
  }

  async #answer(
    req: Request,
    request: StartRequest | CallbackRequest | RefusedRequest,
    options: AuthenticateOptions,
    trace: Trace,
  ): Promise<Action> {
    if (request.type === 'refused') return refusedAction(req, request)
    if (request.type === 'start') return this.#start(req, request, options, trace)
    return this.#callback(req, request, options, trace)
  }

  /** A login that comes back to another callback of the same strategy may mean something else there. */
  #contextFor({ callbackURL }: AuthenticateOptions): string {
    const { context, rules } = this.#settings
    if (callbackURL === undefined) return context
    const path = plainPath(readCallbackURL(callbackURL, true).path)
    return path === plainPath(rules.callbackPath) ? context : digest(context, path)
  }

  #rulesFor(options: AuthenticateOptions): RequestRules {
    const { rules } = this.#settings
    if (options.callbackURL === undefined) return rules
    const { path, origin } = readCallbackURL(options.callbackURL, true)
    return { ...rules, callbackPath: path, appOrigin: origin ?? rules.appOrigin }
  }

  async #start(req: Request, start: StartRequest, options: AuthenticateOptions, trace: Trace): Promise<Action> {
    const page = this.#pageBeforeStart(start)
    if (page) return page
    const { loginURL, store, storeTimeout, stateParameter, redeemer } = this.#settings
    const record = createPendingLogin({
      context: this.#contextFor(options),
      user: signedInUser(req),
      startSite: start.site,
      tabSecret: start.tabSecret,
      returnTo: options.returnTo,
      state: options.state,
    })
    trace.follow(record)
    await storeCall('start', storeTimeout, () => store.save(req, record))
    redeemer.prepare()
    const url = stateParameter === 'off' ? loginURL : `${loginURL}&state=${stateOf(record)}`
    return { type: 'redirect', url, toProvider: true }
  }

  #pageBeforeStart({ target, method, proven, tabSecret }: StartRequest): Action | undefined {
    const { rules, confirmPage: render } = this.#settings
    const { providerOrigin, unprovenStart, tabBinding } = rules
    if (!proven && unprovenStart === 'confirm') {
      return startPage(confirmPage({ target, method, providerOrigin }, render))
    }
    return tabBinding && tabSecret === undefined ? startPage(tabStartPage(target, method, providerOrigin)) : undefined
  }

  async #callback(
    req: Request,
    callback: CallbackRequest,
    options: AuthenticateOptions,
    trace: Trace,
  ): Promise<Action> {
    const { store, storeTimeout, redeemer } = this.#settings
    const record = await storeCall('callback', storeTimeout, () => store.load(req))
    if (!record) return withoutRecord(req, options)
    trace.follow(record)
    if (record.consumed || this.#inFlight.has(record.id)) return this.#share(req, callback, record, options)
    // From here to the start of the login nothing waits, so that of two callbacks only one can get there.
    const refusal = refusalOf(record, this.#evidence(req, callback, options))
    if (refusal) return this.#refuse(req, refusal)
    if (this.#settings.rules.tabBinding && callback.tabSecret === undefined) return this.#askTab(callback, options)
    const leave = redeemer.enter()
    const info = loginInfo(record, callback)
    const finish = async (): Promise<Verdict> => {
      const redeemed = await this.#redeem(req, callback, record, trace).finally(leave)
      return this.#verify(req, redeemed, info, trace)
    }
    return conclude(await this.#inFlight.start(record.id, callback.authKey, finish), info)
  }

  #evidence(req: Request, { site, referer, state, tabSecret }: CallbackRequest, options: AuthenticateOptions) {
    const { stateParameter } = this.#settings
    return {
      context: this.#contextFor(options),
      user: signedInUser(req),
      site,
      referer,
      state,
      stateParameter,
      tabSecret,
    }
  }

  async #refuse(req: Request, refusal: Refusal): Promise<never> {
    const { store, storeTimeout } = this.#settings
    if (FINAL_REFUSALS.has(refusal)) await storeCall('callback', storeTimeout, () => store.remove(req))
    throw new SocialLoginError(refusal, 'callback')
  }

  #askTab(callback: CallbackRequest, options: AuthenticateOptions): Action {
    const { callbackPath, providerOrigin } = this.#rulesFor(options)
    const answer = tabCallbackPage(callbackPath, callback, providerOrigin)
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
    const { store, storeTimeout } = this.#settings
    if (!record.consumed) await storeCall('callback', storeTimeout, () => store.consume(req, record))
    return conclude(await shared, loginInfo(record, callback))
  }

  /** Uses up the record, then the key. */
  async #redeem(req: Request, { authKey }: CallbackRequest, record: PendingLogin, trace: Trace): Promise<Redeemed> {
    const { store, storeTimeout, redeemer } = this.#settings
    // Not removed afterwards: the session may have been renewed or ended by then, and to save this copy would undo that.
    try {
      await storeCall('callback', storeTimeout, () => store.consume(req, record))
    } catch (error) {
      // The key is unspent: a reload may finish this login when the store is back.
      this.#inFlight.release(record.id)
      throw error
    }
    return redeemer.redeem(authKey, trace)
  }

  #verify(req: Request, { params, profile }: Redeemed, info: LoginInfo, trace: Trace): Promise<Verdict> {
    const { verify, passReqToCallback, verifyTimeout } = this.#settings
    if (passReqToCallback) Object.assign(req, { authInfo: info })
    const input = { req, accessToken: params.access_token, params, profile }
    const call = (): Promise<Verdict> => callVerify(verify, input, { passReqToCallback, timeout: verifyTimeout })
    return trace.run('verify', call, ({ user }) => (user ? undefined : 'verify_refused'))
  }
}

function startPage(answer: Answer): Action {
  return { type: 'answer', answer, fallback: new SocialLoginError('start_forbidden', 'start') }
}

function conclude(verdict: Verdict, login: LoginInfo): Action {
  const { user } = verdict
  const info = infoFor(verdict.info)
  if (!user) return { type: 'fail', info, status: 401 }
  return { type: 'success', user, info: { ...info, ...login } }
}

/** Passport writes a string into the WWW-Authenticate header, which cannot hold every string, and takes a number for the status. */
function infoFor(info: unknown): object | undefined {
  if (typeof info === 'string') return { message: info }
  return isObject(info) ? info : undefined
}

/** Reload, back button, double click: whoever is signed in goes on to where the login would have led. */
function withoutRecord(req: Request, options: AuthenticateOptions): Action {
  const destination = options.successReturnToOrRedirect ?? options.successRedirect
  // Under passport.authorize the user was signed in all along, and the route expects the account that is not there.
  const mayGoOn = signedInUser(req) !== undefined && (destination !== undefined || !options.assignProperty)
  if (!mayGoOn) throw new SocialLoginError('login_not_started', 'callback')
  return destination === undefined ? { type: 'pass' } : { type: 'redirect', url: destination }
}

function refusedAction(req: Request, { code, phase, hint }: RefusedRequest): Action {
  if (code === 'method_not_allowed') setHeaders(req, { Allow: phase === 'start' ? 'GET, POST' : 'GET' })
  const fallback = new SocialLoginError(code, phase, hint === undefined ? {} : { hint })
  if (code !== 'speculative_request') throw fallback
  // An empty answer that is no success: the browser drops it and asks again when the person does.
  return { type: 'answer', answer: { status: fallback.status, headers: PRIVATE_ANSWER_HEADERS, body: '' }, fallback }
}

async function storeCall<T>(phase: Phase, timeout: number, call: () => Promise<T>): Promise<T> {
  try {
    return await within(timeout, call())
  } catch (error) {
    // A store's own error may quote a connection string.
    throw error instanceof SocialLoginError
      ? error
      : new SocialLoginError('session_unavailable', phase, {
          hint: hintOf(error),
          retryAfter: STORE_RETRY_AFTER_SECONDS,
        })
  }
}

function hintOf(error: unknown): string {
  if (error instanceof NoSession) return 'The request has no session.'
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  return isTimeout ? 'The store did not answer within the timeout option.' : 'The store reported an error.'
}
