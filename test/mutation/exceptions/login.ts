import type { Exception } from './exception'

/** Of `lib/login/`. */
export const LOGIN_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'What is copied has just been made, and nobody else has it.',
    mutants: [
      'copy | login/callback | joinLogin | { ...createLoginInfo(record, request), duplicate: true } -> Object.assign(createLoginInfo(record, request), { duplicate: true })',
      'copy | login/providers/provider | createLoginSettings | { ...source, allowInsecureHTTP } -> Object.assign(source, { allowInsecureHTTP })',
      'copy | login/providers/settings | manyProviders | { ...shared, callbackURL, allowPrivateAddresses, maxPools } -> Object.assign(shared, { callbackURL, allowPrivateAddresses, maxPools })',
      'copy | login/providers/providers | ManyProviders.#create | { ...settings, ...own, onExchanged: () => this.#registerName(settings) } -> Object.assign(settings, { ...own, onExchanged: () => this.#registerName(settings) })',
      'copy | login/providers/providers | ManyProviders.#parseMembers | { ...members, name, callbackURL } -> Object.assign(members, { name, callbackURL })',
      "copy | login/request/request | classifyNonLogin | { ...refused('navigation_required', phase), response } -> Object.assign(refused('navigation_required', phase), { response })",
      'copy | login/pages/refusal | refusalResponse | { ...headers, ...errorHeaders } -> Object.assign(headers, { ...errorHeaders })',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Of a text, matchAll and search make the same regular expression.',
    mutants: [
      "wrapper | login/pending-login/stores/sealed-cookie | SealedCookie.constructor | new RegExp(`(?:^|;)[ \\\\t]*${this.#name}=([^;]*)`, 'g') -> (`(?:^|;)[ \\\\t]*${this.#name}=([^;]*)`)",
      "wrapper | login/pending-login/after-tab |  | new RegExp(`(?:^|;)[ \\\\t]*(?:__Host-)?${NAME}=([^;]*)`, 'g') -> (`(?:^|;)[ \\\\t]*(?:__Host-)?${NAME}=([^;]*)`)",
    ],
  },
  {
    kind: 'equivalent',
    why: 'An answer that is there at once needs no timer, which costs more than the store of a session itself.',
    mutants: [
      'condition | login/pending-login/store | callStore | isThenable(answer) -> true',
      'wrapper | login/pending-login/store | callStore | isThenable(answer) -> (answer)',
      'condition | login/providers/providers | ManyProviders.find | isThenable(result) -> true',
      'wrapper | login/providers/providers | ManyProviders.find | isThenable(result) -> (result)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'What is no object has no member of a cookie either.',
    mutants: ['wrapper | login/pending-login/stores/session-store | warnOfLostCookie | isObject(cookie) -> (cookie)'],
  },
  {
    kind: 'equivalent',
    why: 'Number.isFinite is false for all that is no number; TypeScript does not know that.',
    mutants: [
      "operand | login/pending-login/pending-login | parsePendingLogin | typeof issuedAt !== 'number' || !Number.isFinite(issuedAt) -> (!Number.isFinite(issuedAt))",
    ],
  },
  {
    kind: 'equivalent',
    why: 'The members have this name already; TypeScript does not know that it is a text.',
    mutants: ['member | login/providers/providers | ManyProviders.#parseMembers | name -> '],
  },
  {
    kind: 'equivalent',
    why: 'A query without a plus is parsed once more, to the same.',
    mutants: ["condition | login/request/request | classifyCallback | search.includes('+') -> true"],
  },
]
