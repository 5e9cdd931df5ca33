import type { Exception } from './exception'

/** Of `lib/passport/` and `lib/web/`. */
export const ADAPTERS_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'What is copied has just been made, and nobody else has it.',
    mutants: [
      'copy | passport/options | parseStrategyOptions | { ...parsed, store: store instanceof cookie_store_1.CookieStore ? store.forCallback(options.callbackURL) : store, providers: (0, settings_1.parseLoginOptions)(options, pools_1.nodeNetwork), findProvider: provider, } -> Object.assign(parsed, { store: store instanceof cookie_store_1.CookieStore ? store.forCallback(options.callbackURL) : store, providers: (0, settings_1.parseLoginOptions)(options, pools_1.nodeNetwork), findProvider: provider, })',
      'copy | web/options | parseSocialLoginOptions | { ...(0, option_values_1.parseOptions)(WEB_OPTIONS, options), providers: (0, settings_1.parseLoginOptions)(options, network), findProvider, storeFor: storesOf(options), } -> Object.assign((0, option_values_1.parseOptions)(WEB_OPTIONS, options), { providers: (0, settings_1.parseLoginOptions)(options, network), findProvider, storeFor: storesOf(options), })',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Only the types of passport-oauth2 require it, and its client is never used.',
    mutants: ["member | passport/strategy |  | clientSecret: 'unused' -> "],
  },
  {
    kind: 'equivalent',
    why: 'Only the types require it: the profile is always there.',
    mutants: ['refusal | web/web-login | accept | !profile -> false'],
  },
]
