import { types } from 'node:util'
import { refuseUnknown } from '../client/option-values'
import type { FailureInfo } from '../errors'
import { type BrowserStore, browserStore } from '../login/browser-store'
import type { LoginSettings } from '../login/context'
import type { ProviderResult } from '../login/options'
import { parseReturnPath } from '../login/return-path'
import { COMMON_OPTIONS, readCommonSettings, requireStore } from '../login/settings'
import { SealedCookie } from '../login/stores/sealed-cookie'
import type { MultiProviderSocialLoginOptions, SocialLoginOptions } from './options'

/** Validated options. */
export interface WebSettings extends LoginSettings {
  readonly failureRedirect: ((failure: FailureInfo) => string) | undefined
  readonly successRedirect: string
  /** The pending login of the browser that sent the request; cookies are added to the headers of the response. */
  storeFor(request: Request, headers: Headers): BrowserStore
  /** Asks the application for the provider of a request; never called if there is only one. */
  findProvider(request: Request): ProviderResult
}

/** The options that exist; complete, by its type. */
const OPTIONS: Readonly<Record<keyof SocialLoginOptions | keyof MultiProviderSocialLoginOptions, true>> = {
  ...COMMON_OPTIONS,
  keys: true,
  store: true,
  failureRedirect: true,
  successRedirect: true,
}

const NO_VERIFY = 'callback() resolves to the login; there is no verify function'
/** Options of the strategy. */
const INSTEAD_OF = { passReqToCallback: NO_VERIFY, skipUserProfile: NO_VERIFY, verifyTimeout: NO_VERIFY }

/** @throws TypeError naming the option that is wrong, never its value */
export function readSettings(options: SocialLoginOptions | MultiProviderSocialLoginOptions): WebSettings {
  if (typeof options !== 'object' || options === null) throw new TypeError('SocialLogin needs an options object')
  refuseUnknown(options, OPTIONS, INSTEAD_OF)
  return {
    ...readCommonSettings(options, true),
    findProvider: options.provider ?? (() => undefined),
    skipUserProfile: false,
    storeFor: readStore(options),
    failureRedirect: readFailureRedirect(options.failureRedirect),
    successRedirect: readPath('successRedirect', options.successRedirect ?? '/'),
  }
}

function readStore(options: SocialLoginOptions | MultiProviderSocialLoginOptions): WebSettings['storeFor'] {
  const { keys, store } = options
  if (keys !== undefined && store !== undefined) throw new TypeError('keys and store exclude each other: give one')
  if (store !== undefined) {
    requireStore(store)
    return (request) => browserStore(store, request)
  }
  // Needed only where the browser would drop a Secure cookie; plain http beyond loopback has been allowed by then.
  const allowInsecureHTTP = options.allowInsecureHTTP && /^http:/i.test(options.callbackURL ?? '')
  const cookie = new SealedCookie({ keys: keys ?? [], allowInsecureHTTP })
  return (request, headers) => {
    const end = (): void => headers.set('Set-Cookie', cookie.end())
    return {
      save: async (record) => headers.set('Set-Cookie', await cookie.seal(record)),
      load: () => cookie.open(request.headers.get('cookie') ?? ''),
      consume: end,
      remove: end,
    }
  }
}

function readFailureRedirect(value: SocialLoginOptions['failureRedirect']): WebSettings['failureRedirect'] {
  if (value === undefined) return undefined
  if (typeof value === 'function') return (failure) => readPath('failureRedirect', value(failure))
  const path = readPath('failureRedirect', value)
  return () => path
}

function readPath(name: string, value: unknown): string {
  const path = parseReturnPath(value)
  // A rejected promise must not crash the process.
  if (types.isPromise(value)) value.catch(() => {})
  if (path === undefined) throw new TypeError(`${name} must be a path of this application, such as /login`)
  return path
}
