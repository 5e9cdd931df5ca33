import { type BrowserStore, RequestStore } from '../login/browser-store'
import type { LoginRequest, Verdict } from '../login/context'
import type { ExchangedLogin } from '../login/exchange'
import type { LoginInfo } from '../login/info'
import type { ProviderResult } from '../login/options'
import type { HTTPRequest } from '../login/request-headers'
import { replayDestination } from './actions'
import type { AuthenticateOptions } from './options'
import { canLogIn, currentUserKey, httpRequest } from './request'
import type { StrategySettings } from './settings'
import { type AnyVerifyFunction, callVerify, type Request } from './verify'

/** A request of Passport, for the login. */
export class PassportLoginRequest implements LoginRequest {
  readonly http: HTTPRequest
  readonly options: AuthenticateOptions
  readonly store: BrowserStore
  readonly #req: Request
  readonly #verify: AnyVerifyFunction
  readonly #settings: StrategySettings

  constructor(req: Request, options: AuthenticateOptions, verify: AnyVerifyFunction, settings: StrategySettings) {
    this.http = httpRequest(req)
    this.options = options
    this.store = new RequestStore(settings.store, req)
    this.#req = req
    this.#verify = verify
    this.#settings = settings
  }

  // The route of passport.authorize expects `req.account`, which a repeated callback does not set.
  get mayContinueOnReplay(): boolean {
    return replayDestination(this.options) !== undefined || !this.options.assignProperty
  }

  findProvider(): ProviderResult {
    return this.#settings.findProvider(this.#req)
  }

  currentUserKey(): string | undefined {
    return currentUserKey(this.#req)
  }

  canSignIn(): boolean {
    return canLogIn(this.#req, this.options)
  }

  verify(login: ExchangedLogin, info: LoginInfo): Promise<Verdict> {
    if (!this.#settings.passReqToCallback) return this.#callVerify(login)
    return withAuthInfo(this.#req, info, () => this.#callVerify(login))
  }

  #callVerify(login: ExchangedLogin): Promise<Verdict> {
    return callVerify(this.#verify, this.#req, login, this.#settings)
  }
}

/** Verify finds the info at `req.authInfo`, where the application's later handlers take it for a sign of a login. */
async function withAuthInfo(req: Request, info: LoginInfo, verify: () => Promise<Verdict>): Promise<Verdict> {
  const { authInfo } = req
  let user: unknown
  Object.assign(req, { authInfo: info })
  try {
    const verdict = await verify()
    user = verdict.user
    return verdict
  } finally {
    if (!user) Object.assign(req, { authInfo })
  }
}
