import type { Mutant } from './rules'

/** In which file, what goes, a text that the compiled file has exactly once, and what replaces it. */
type Row = readonly [file: string, name: string, from: string, to: string]

// What no rule makes: a part of a text, another function, something that is added.
const COOKIE = 'login/pending-login/stores/sealed-cookie'
const ROWS: readonly Row[] = [
  [COOKIE, 'the cookie is sent in plain', "'; Secure'", "''"],
  [COOKIE, 'scripts can read the cookie', '; HttpOnly', ''],
  [COOKIE, 'other sites send the cookie', '; SameSite=Lax', ''],
  [COOKIE, 'the cookie is kept without an end', '; Max-Age=${maxAge}', ''],
  [COOKIE, 'the cookie is for one path', '; Path=/', ''],
  [COOKIE, 'one key for all cookies', '`passport-social-login pending login ${name}`', "'one key'"],
  ['login/pending-login/stores/login-cookies', 'one cookie is login and remainder', "'-used'", "''"],
  [
    'login/pending-login/stores/login-cookies',
    'of planted cookies the one that opens is taken',
    '.find((cookie) => cookie.isIn(header))',
    '.findLast((cookie) => cookie.isIn(header))',
  ],
  [
    'login/pending-login/stores/session-store',
    'nobody waits for the session to be saved',
    'return new Promise((resolve, reject) => {',
    'void new Promise((resolve, reject) => {',
  ],
  [
    'login/pending-login/stores/session-store',
    'the method that renews is stored',
    '{ value, configurable: true, writable: true }',
    '{ value, configurable: true, writable: true, enumerable: true }',
  ],
  [
    'login/pending-login/consumed',
    'what is left of a login forgets whose it was',
    'const remainder = { id, strategyDigest,',
    "const remainder = { id, strategyDigest: '',",
  ],
  [
    'login/callback',
    'a failed save is ignored',
    'adapter.store.consume(used));\n        onConsumed',
    'adapter.store.consume(used)).catch(() => undefined);\n        onConsumed',
  ],
  [
    'login/providers/providers',
    'all members of a record make a provider',
    'MEMBERS.map((member)',
    'Object.keys(provider).map((member)',
  ],
  ['login/request/headers', 'a Referer that cannot be read is none', 'if (!value)', "if (originOf(value) === '')"],
  [
    'passport/actions',
    'logins go to other browsers',
    'const { success, fail, redirect, pass, error } = strategy;',
    'const { success, fail, redirect, pass, error } = strategy;\n    return strategy;',
  ],
  ['passport/incoming-message', 'a repeated header has one value', "value.join(', ')", 'value[0]'],
  ['passport/incoming-message', 'a number and its text are one user', '`${typeof value} ${value}`', 'String(value)'],
  ['passport/overrides', 'a response keeps the replaced method', 'finally {', 'finally {\n        return;'],
  ['web/web-login', 'a number and its text are one user', '`user:${typeof user} ${user}`', '`user:${user}`'],
  ['client/client', 'the signal of a call is ignored', 'this.#settings.timeout, signal', 'this.#settings.timeout'],
  [
    'client/http/connector',
    'a handshake that was reset is tried again',
    'TRANSIENT = [',
    "TRANSIENT = ['ECONNRESET', ",
  ],
  [
    'client/http/pool',
    'the spare connection is not used',
    'connect: this.#connector.connect,',
    'connect: this.#connector.connectNew,',
  ],
  [
    'client/http/pool',
    'the connection of a request that was late is closed',
    'throw new index_js_1.errors.RequestAbortedError()',
    'controller.abort(new index_js_1.errors.RequestAbortedError())',
  ],
  ['client/http/pools', 'one pool more', 'this.#pools.size <= maxPools', 'this.#pools.size <= maxPools + 1'],
  [
    'client/http/environment-proxy',
    'the password of a proxy is in an error',
    'throw new TypeError(`${VARIABLES',
    'throw new TypeError(`${value} ${VARIABLES',
  ],
  [
    'client/http/redirect',
    'a hint quotes the address',
    'return TO_HOST;\n    if (to.protocol',
    'return TO_HOST + location;\n    if (to.protocol',
  ],
  [
    COOKIE,
    'a forged cookie throws',
    'return undefined;\n    }\n    end() {',
    "throw new Error('forged');\n    }\n    end() {",
  ],
  [
    'doctor/arguments',
    'a long host is parsed',
    '(0, url_1.parseURL)(text);\n    if (!url || !/^https?:/.test(url.protocol) ||',
    'new URL(text);\n    if (!url || !/^https?:/.test(url.protocol) ||',
  ],
  [
    'doctor/login',
    'a malformed key ends the doctor',
    'return decodeURIComponent(text);\n    }\n    catch {\n        return text;',
    'return decodeURIComponent(text);\n    }\n    catch (error) {\n        throw error;',
  ],
  ['doctor/examination', 'findings hold escapes of terminals', '(0, text_1.printable)(message)', 'message'],
  ['doctor/arguments', 'a secret may be an argument', 'if (args.some((arg) =>', 'if (false && args.some((arg) =>'],
  [
    'doctor/arguments',
    'a request may take more than two minutes',
    'limits_1.MAX_TIMEOUT_MS / 1000)',
    'limits_1.MAX_TIMEOUT_MS / 1000 + 1)',
  ],
  ['doctor/browser-login', 'a secret goes into a URL unasked', 'return allowGet;', 'return true;'],
  [
    'doctor/command',
    'an unknown error is quoted',
    'throw new Error(`The doctor failed:',
    'throw error; throw new Error(`The doctor failed:',
  ],
  [
    'doctor/login',
    'GET is the first',
    "requestExchange)(probe, this.baseURL, 'POST', form)",
    "requestExchange)(probe, this.baseURL, 'GET', form)",
  ],
  [
    'doctor/profile',
    'a person six levels down is looked for',
    'holdsPerson(json, levels = 4)',
    'holdsPerson(json, levels = 5)',
  ],
]

/** The mutants of a file that are written by hand. A text that the file does not have exactly once is an error. */
export function mutantsByHand(file: string, code: string): Mutant[] {
  return ROWS.filter(([of]) => of === file).map(([, text, from, to]) => {
    const start = code.indexOf(from)
    if (code.split(from).length !== 2) throw new Error(`${file} does not have exactly once: ${from}`)
    return { rule: 'hand', file, where: '', text, start, end: start + from.length, to }
  })
}
