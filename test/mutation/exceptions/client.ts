import type { Exception } from './exception'

/** Of `lib/client/`. */
export const CLIENT_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'Each connection sets its own socket, and each pool its own proxy, before it is read.',
    mutants: [
      'copy | client/http/pools | ProviderPools.#open | { ...this.#poolOptions, proxy: this.#proxyOf?.(origin) } -> Object.assign(this.#poolOptions, { proxy: this.#proxyOf?.(origin) })',
      'copy | client/http/connector | connectThrough | { ...target, httpSocket } -> Object.assign(target, { httpSocket })',
    ],
  },
  {
    kind: 'equivalent',
    why: 'undici destroys the connections before it returns the promise.',
    mutants: [
      'await | client/http/pools | ProviderPools.close | await Promise.all(idle.map(([origin, pool]) => this.#close(origin, pool))) -> (Promise.all(idle.map(([origin, pool]) => this.#close(origin, pool))))',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The slots admit no more requests than there may be connections.',
    mutants: ['member | client/http/pool | ProviderPool.constructor | connections -> '],
  },
  {
    kind: 'equivalent',
    why: 'The undici of today opens another connection where it is given one that is destroyed, which it does not promise.',
    mutants: ['operand | client/http/connector | Connector.connect | !socket || socket.destroyed -> (!socket)'],
  },
  {
    kind: 'equivalent',
    why: 'An outcome that is no object is the reason of an abort, and the client gives that whatever is thrown instead.',
    mutants: [
      'operand | client/http/retry | isRetryable | outcome instanceof SocialLoginError && RETRYABLE.has(outcome.code) -> (RETRYABLE.has(outcome.code))',
    ],
  },
  {
    kind: 'equivalent',
    why: 'What is copied has just been made, and nobody else has it.',
    mutants: [
      "copy | client/endpoints | Endpoints.constructor | { ...headers, ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) } -> Object.assign(headers, { ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }) })",
      "copy | client/endpoints | Endpoints.constructor | { ...headers, 'content-type': 'application/json' } -> Object.assign(headers, { 'content-type': 'application/json' })",
      'copy | client/options | parseClientOptions | { ...others, ...baseURL } -> Object.assign(others, { ...baseURL })',
      "copy | client/response/profile |  | { ...object('what fetchUser resolves to, with the members user, json and raw'), fits: (one) => { const { json, user } = Object(one); return isObject(json) && typeof Object(user)['user_id'] === 'string'; }, } -> Object.assign(object('what fetchUser resolves to, with the members user, json and raw'), { fits: (one) => { const { json, user } = Object(one); return isObject(json) && typeof Object(user)['user_id'] === 'string'; }, })",
    ],
  },
  {
    kind: 'equivalent',
    why: 'A list or a text of JSON has none of the members that are looked for, and null is told apart before.',
    mutants: [
      'wrapper | client/response/responses | saysFailure | isObject(body) -> (body)',
      'wrapper | client/response/responses | isRefusal | isObject(body) -> (body)',
      'wrapper | client/response/user | findRecord | isObject(body) -> (body)',
      'wrapper | client/response/user | findRecord | isObject(record) -> (record)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'It only saves time: the letters of a text hold no user_id, a text without & has no entity, numbers that are exact need not be parsed again, and a whole number is an id, whether the response has it as a text or not.',
    mutants: [
      'condition | client/response/user | parseID | whole === id -> false',
      'operand | client/response/json | parseJSON | outsideStrings.match(NUMBER)?.every(isExact) ?? true -> (outsideStrings.match(NUMBER)?.every(isExact))',
      'condition | client/response/json | parseJSON | true -> false',
      'condition | client/response/json | parseJSON | isLossless -> false',
      "operand | client/response/user | pathToUserID | typeof json !== 'object' || json === null -> (json === null)",
      "condition | client/response/profile | decodeEntities | !text.includes('&') -> false",
    ],
  },
  {
    kind: 'equivalent',
    why: 'It is there for the types: as a text, null is refused like the text "null", and only objects are thrown.',
    mutants: [
      'wrapper | client/response/responses | reasonOf | Object(error) -> (error)',
      'operand | client/response/user | parseID | id === null || !ID.test(id) -> (!ID.test(id))',
      'wrapper | client/http/decompress | decompress | Object(error) -> (error)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'A function that ends without return gives undefined, too.',
    mutants: [
      'catch | client/url | tryURL | { return undefined; } -> {}',
      'catch | client/response/responses | tryParse | { return undefined; } -> {}',
      'catch | client/response/json | tryStringify | { return undefined; } -> {}',
    ],
  },
  {
    kind: 'equivalent',
    why: 'undici ignores the end of a deadline for a request that is over; without the listener nothing of it is kept.',
    mutants: [
      'call | client/http/pool | Dispatch.onResponseError | this.#attempt.deadline.removeListener(this.#onDeadline); -> ;',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Math.ceil makes the same number of a text.',
    mutants: ['wrapper | client/http/response-reader | secondsIn | Number(value) -> (value)'],
  },
  {
    kind: 'equivalent',
    why: 'Only the types require it: a number that is whole, a member that may be undefined, and lookups that tell a text.',
    mutants: [
      "operand | client/option-values | integer | typeof value === 'number' && Number.isInteger(value) -> (Number.isInteger(value))",
      'member | client/option-values | parseCallbackURL | origin: undefined -> ',
      'condition | client/http/address | publicLookup | Array.isArray(found) -> true',
      "operand | client/http/address | publicLookup | first?.address ?? '' -> (first?.address)",
    ],
  },
  {
    kind: 'equivalent',
    why: 'A value is asked for its range only when it is a text, and the types do not know that.',
    mutants: [
      "operand | client/endpoints |  | typeof value === 'string' && ACCESS_TOKEN.test(value) -> (ACCESS_TOKEN.test(value))",
    ],
  },
  {
    kind: 'equivalent',
    why: 'The deadline of a request is shorter than five minutes, which undici gives it otherwise: they only spare its timers.',
    mutants: [
      'member | client/http/pool |  | headersTimeout: 0 -> ',
      'member | client/http/pool |  | bodyTimeout: 0 -> ',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The first memory is opened to see whether one can be, and a page more or less needs no other room.',
    mutants: [
      'limit | client/http/pools | loadPool | 1 -> (1 + 1)',
      'limit | client/http/pools | loadPool | 1 -> (1 - 1)',
    ],
  },
  {
    kind: 'slow',
    why: 'No quick test opens ten thousand connections.',
    mutants: ['member | client/http/pools | ProviderPools.constructor | connections: MAX_CONNECTIONS -> '],
  },
  {
    kind: 'equivalent',
    why: 'The authorities are read in vain, and undefined is as good as false; the members that are added are always the same.',
    mutants: [
      'member | client/http/tls-options | isSupported | ca: [] -> ',
      'copy | client/http/tls-options | tlsOptions | { ...supported, secureOptions: constants.SSL_OP_NO_RENEGOTIATION, rejectUnauthorized: true } -> Object.assign(supported, { secureOptions: constants.SSL_OP_NO_RENEGOTIATION, rejectUnauthorized: true })',
      'copy | client/http/tls-options | isSupported | { ...options, ca: [] } -> Object.assign(options, { ca: [] })',
      'catch | client/http/tls-options | isSupported | { return false; } -> {}',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Only versions of OpenSSL that are newer than that of Node 20 know it.',
    mutants: ["element | client/http/tls-options |  | 'DEFAULT:-ffdhe2048:-ffdhe3072' -> "],
  },
  {
    kind: 'equivalent',
    why: 'Only the types require it: what reads a response throws nothing but outcomes.',
    mutants: [
      "operand | client/endpoints | readExchange | error instanceof SocialLoginError && error.code === 'auth_key_rejected' -> (error.code === 'auth_key_rejected')",
    ],
  },
]
