import type { Network } from '../client/http/transport'
import { SocialLoginError } from '../errors'
import type { ExchangedLogin, RequestAdapter, Verdict } from '../login/context'
import { Login } from '../login/login'
import type { PendingLoginSummary } from '../login/pending-login/pending-login'
import type { HTTPRequest } from '../login/request/description'
import { refusePromise } from '../promises'
import { mayBeOptions, parseFor, refuseUnknown, typeName } from '../values'
import {
  addCookies,
  type CallbackOptions,
  type MultiProviderSocialLoginOptions,
  parseSocialLoginOptions,
  type SocialLoginOptions,
  type StartOptions,
  type UserID,
  type WebSettings,
} from './options'
import { type CallbackResult, resultOf, type SignedIn } from './result'

const CALLBACK_OPTIONS: readonly (keyof CallbackOptions)[] = ['user', 'callbackURL']
const START_OPTIONS: readonly (keyof StartOptions)[] = [...CALLBACK_OPTIONS, 'returnTo', 'state']

/** `SocialLogin` over any network, of which each of its two builds gives one. */
export class WebLogin {
  readonly #settings: WebSettings
  readonly #login: Login<SignedIn>

  /** @internal */
  constructor(options: SocialLoginOptions | MultiProviderSocialLoginOptions, network: Network) {
    this.#settings = parseFor(WebLogin, () => parseSocialLoginOptions(options, network))
    this.#login = new Login(this.#settings.providers)
  }

  /**
   * Starts a login: redirects to the provider, or shows a page with a button to a visitor who may come from elsewhere.
   * A failure is a response, too.
   * @throws TypeError for wrong options, and for the request of a callback
   */
  async start(request: Request, options: StartOptions): Promise<Response> {
    const result = await this.#handle('start', request, options, START_OPTIONS)
    if (result.type === 'success') throw new TypeError('start() was given a callback: give it to callback() instead')
    return result.response
  }

  /** Finishes a login, once, in the browser that began it. @throws TypeError for wrong options */
  async callback(request: Request, options: CallbackOptions): Promise<CallbackResult> {
    return this.#handle('callback', request, options, CALLBACK_OPTIONS)
  }

  /**
   * The login that this browser has begun and can still finish, for a page that says so. Changes nothing.
   * @returns undefined if there is none, or it is finished, expired, of another login, or of another user
   * @throws SocialLoginError `session_unavailable` when your store fails
   */
  async pendingLogin(request: Request, options: CallbackOptions): Promise<PendingLoginSummary | undefined> {
    checkCall('pendingLogin', request, options, CALLBACK_OPTIONS)
    return this.#login.pending(this.#newAdapter(request, options, new Headers()))
  }

  /** Closes the connections to the provider once pending logins have ended, for a clean shutdown. */
  close(): Promise<void> {
    return this.#login.close()
  }

  async #handle(
    call: string,
    request: Request,
    options: StartOptions,
    known: readonly string[],
  ): Promise<CallbackResult> {
    checkCall(call, request, options, known)
    const headers = new Headers()
    const adapter = this.#newAdapter(request, options, headers)
    const { failureRedirect } = this.#settings
    return resultOf(await this.#login.handle(adapter), { headers, http: adapter.http, failureRedirect })
  }

  #newAdapter(request: Request, options: StartOptions, headers: Headers): RequestAdapter<SignedIn> {
    const currentUser = userKey(options.user)
    return {
      http: httpRequest(request),
      options,
      findProvider: () => this.#settings.findProvider(request),
      store: this.#settings.storeFor(request, headers),
      currentUserKey: () => currentUser,
      // The application signs the user in by itself, after the callback.
      canSignIn: () => true,
      addCookies: (lines) => addCookies(headers, lines),
      verify: accept,
    }
  }
}

async function accept({ params, profile }: ExchangedLogin): Promise<Verdict<SignedIn>> {
  // The profile is always there, because only the strategy has the option skipUserProfile.
  if (!profile) throw new SocialLoginError('profile_invalid', 'profile')
  return { user: { profile, accessToken: params.access_token, params } }
}

/** The origin of the URL is that of the server behind any proxy; path and query are as the browser sent them. */
function httpRequest({ method, url, headers }: Request): HTTPRequest {
  // The host is not needed, because the application's origin is that of `callbackURL`.
  return { method, target: url, header: (name) => headers.get(name) ?? undefined }
}

const REQUEST = 'a Request of the Fetch standard (in Hono: c.req.raw)'

function checkCall(call: string, request: Request, options: object, known: readonly string[]): void {
  if (typeof request?.url !== 'string' || typeof request.headers?.get !== 'function')
    throw new TypeError(`${call}: request must be ${REQUEST}, not ${typeName(request)}`)
  if (!mayBeOptions(options) || !('user' in options))
    throw new TypeError(`${call}: options needs user, the id of the signed-in user or null; it is ${typeName(options)}`)
  refuseUnknown(`${call}()`, options, known)
}

/** @throws TypeError for what cannot be the id of a user */
function userKey(user: UserID): string | undefined {
  if (user === undefined || user === null || user === '' || user === false) return undefined
  refusePromise(user, 'user must be the id of the signed-in user, not a promise: await it first')
  const isID = typeof user === 'string' || typeof user === 'bigint' || Number.isFinite(user)
  if (!isID) {
    const ids = 'a string, a finite number or a bigint, or null for no one'
    throw new TypeError(`user must be the id of the signed-in user: ${ids}, not of the type ${typeof user}`)
  }
  return `user:${typeof user} ${user}`
}
