import { types } from 'node:util'
import {
  type OptionTable,
  type ParsedOptions,
  parseOptions,
  parseWholeCallbackURL,
  refuseUnknown,
} from '../client/option-values'
import type { FailureInfo } from '../errors'
import { type BrowserStore, browserStore } from '../login/browser-store'
import type { ProviderResult } from '../login/options'
import type { ManyProviders, OneProvider } from '../login/providers'
import { parseReturnPath } from '../login/return-path'
import { LOGIN_OPTIONS, parseLoginOptions, parseStore } from '../login/settings'
import { SealedCookie } from '../login/stores/sealed-cookie'
import type { MultiProviderSocialLoginOptions, OwnOptions, SocialLoginOptions } from './options'

const REDIRECT_OPTIONS = {
  failureRedirect: parseFailureRedirect,
  successRedirect: (value = '/', name) => parsePath(value, name),
} as const satisfies OptionTable<OwnOptions>

/** Parsed options. */
export interface WebSettings extends ParsedOptions<typeof REDIRECT_OPTIONS> {
  readonly providers: OneProvider | ManyProviders
  /** The pending login of the browser that sent the request; cookies are added to the headers of the response. */
  storeFor(request: Request, headers: Headers): BrowserStore
  /** Asks the application for the provider of a request; never called if there is only one. */
  findProvider(request: Request): ProviderResult
}

const KNOWN = { ...LOGIN_OPTIONS, ...REDIRECT_OPTIONS, keys: true, store: true }
const NO_VERIFY = 'callback() resolves to the login; there is no verify function'
/** Options of the strategy. */
const INSTEAD_OF = { passReqToCallback: NO_VERIFY, skipUserProfile: NO_VERIFY, verifyTimeout: NO_VERIFY }

/** @throws TypeError naming the option that is wrong, never its value */
export function parseSocialLoginOptions(options: SocialLoginOptions | MultiProviderSocialLoginOptions): WebSettings {
  refuseUnknown('SocialLogin', options, KNOWN, INSTEAD_OF)
  const { provider, callbackURL } = options
  if (provider === undefined) parseWholeCallbackURL(callbackURL, 'callbackURL', options)
  return {
    ...parseOptions(REDIRECT_OPTIONS, options),
    providers: parseLoginOptions(options),
    findProvider: provider ?? (() => undefined),
    storeFor: storesOf(options),
  }
}

function storesOf(options: SocialLoginOptions | MultiProviderSocialLoginOptions): WebSettings['storeFor'] {
  const { keys, store } = options
  if (keys !== undefined && store !== undefined) throw new TypeError('keys and store exclude each other: give one')
  if (store !== undefined) {
    parseStore(store, 'store')
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

function parseFailureRedirect(value: OwnOptions['failureRedirect'], name: string) {
  if (value === undefined) return undefined
  if (typeof value === 'function') return (failure: FailureInfo): string => parsePath(value(failure), name)
  const path = parsePath(value, name)
  return (): string => path
}

function parsePath(value: unknown, name: string): string {
  const path = parseReturnPath(value)
  // A rejected promise must not crash the process.
  if (types.isPromise(value)) value.catch(() => {})
  if (path === undefined) throw new TypeError(`${name} must be a path of this application, such as /login`)
  return path
}
