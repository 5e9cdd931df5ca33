import type { Exception } from './exception'

/** Of `lib/passport/` and `lib/web/`. */
export const ADAPTERS_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'What is copied has just been made, and nobody else has it.',
    mutants: [
      'copy | passport/options | parseStrategyOptions | { ...parsed, store: store instanceof CookieStore ? store.forCallback(options.callbackURL) : store, providers: parseLoginOptions(options, nodeNetwork), findProvider: provider, } -> Object.assign(parsed, { store: store instanceof CookieStore ? store.forCallback(options.callbackURL) : store, providers: parseLoginOptions(options, nodeNetwork), findProvider: provider, })',
      'copy | web/options | parseSocialLoginOptions | { ...parseOptions(WEB_OPTIONS, options), providers: parseLoginOptions(options, network), findProvider, storeFor: storesOf(options), } -> Object.assign(parseOptions(WEB_OPTIONS, options), { providers: parseLoginOptions(options, network), findProvider, storeFor: storesOf(options), })',
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
