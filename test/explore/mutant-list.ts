import { LOGIN_MUTANTS } from '../package/guards/login'

/** One change of the compiled code. */
export interface Mutant {
  readonly name: string
  /** In `lib/login/`. */
  readonly file: string
  readonly change: (code: string) => string
}

function mutant(file: string, name: string, from: string, to: string): Mutant {
  const change = (code: string): string => {
    if (!code.includes(from)) throw new Error(`${file} has no ${from}`)
    return code.replace(from, () => to)
  }
  return { file, name, change }
}

/** Those of the quick tests that the exploration must find as well. */
const SHARED = [
  'any site starts a login',
  'a start of an old browser comes from anywhere',
  'a form of a tab that is sent again is refused',
  'a frame is a page',
  'what WebKit requests for a worker is a navigation',
  'a used record has no mark',
  'a used login stays in the cookie',
]

/** What is no condition that `generateMutants` changes: statements, and other files. */
export const MUTANTS: readonly Mutant[] = [
  mutant('callback', 'no slot is released', 'settings.concurrentLogins.release();', ''),
  mutant(
    'callback',
    'the key is sent before the record is saved as used',
    'const isFirst = await ',
    'const isFirst = ',
  ),
  mutant('pending-login/used-logins', 'a record that could not be saved stays used', 'this.#forget(recordID);', ';'),
  mutant(
    'callback',
    'a double does not wait until the first has saved',
    'await Promise.race([running.consumed, running.result]);',
    '',
  ),
  mutant(
    'callback',
    'a failed save is ignored',
    'adapter.store.consume(used));\n        onConsumed();',
    'adapter.store.consume(used)).catch(() => undefined);\n        onConsumed();',
  ),
  mutant(
    'pending-login/used-logins',
    'a double may have another key',
    'login?.authKey !== authKey',
    'login === undefined',
  ),
  mutant('pending-login/used-logins', 'nothing is remembered as used', 'this.#used.add(recordID);', ''),
  mutant(
    'pending-login/pending-login',
    'the signed-in user is not noted',
    'user: userDigest(id, input.user)',
    'user: null',
  ),
  mutant(
    'pending-login/pending-login',
    'the mark of a used record is not read',
    'if (consumed === true)',
    'if (false)',
  ),
  mutant(
    'pending-login/pending-login',
    'all records have one id',
    "(0, node_crypto_1.randomBytes)(16).toString('base64url')",
    "'id'",
  ),
  mutant(
    'start',
    'a start does not wait until its record is saved',
    "await (0, store_1.callStore)('start', settings.timeout, () => adapter.store.save(record))",
    "(0, store_1.callStore)('start', settings.timeout, () => adapter.store.save(record))",
  ),
  mutant(
    'request/headers',
    'a callback that WebKit requests again is foreign',
    "return fetchSite === 'none';",
    'return false;',
  ),
  mutant(
    'pending-login/stores/session-store',
    'nobody waits for the session to be saved',
    'return put(requireSession(req), Object.assign({}, record, { consumed: true }));',
    'void put(requireSession(req), Object.assign({}, record, { consumed: true }));',
  ),
  mutant(
    'login',
    'every request has its own list of used logins',
    'usedLogins: this.#usedLogins, trace',
    'usedLogins: new this.#usedLogins.constructor(), trace',
  ),
  mutant('login', 'nobody asks whether the session can sign in', '!adapter.canSignIn()', 'false'),
  ...SHARED.map((name) => {
    const guard = LOGIN_MUTANTS.find((one) => one.name === name)
    if (!guard) throw new Error(`test/package/guards/login.ts has no mutant "${name}"`)
    return mutant(guard.file.replace(/^login\//, ''), name, guard.from, guard.to)
  }),
]

const ONLY_A_HINT = 'It changes a hint, a trace or the phase of an outcome, which no world reads.'
const NO_START_PATH = 'The path of a start is for the error page of an application, which no world has.'
const LONGER = 'An id may be remembered for longer than it must be.'
const NO_PROXY =
  'Behind a proxy that strips a prefix, worlds have only unverified GETs; test/login/stripping-proxy has others.'

/** The mutants that break no promise of a world, by their names, and why. */
export const SURVIVORS: Readonly<Record<string, string>> = {
  'pending-login/used-logins, UsedLogins: login.waiting === MAX_WAITING is false':
    'A bound of nine callbacks at once, which are more than any world has; a unit test shows it.',
  'pending-login/used-logins, UsedLogins: age < LIFETIME_MS is age <= LIFETIME_MS': LONGER,
  'pending-login/used-logins, UsedLogins: age < 2 * LIFETIME_MS is age <= 2 * LIFETIME_MS': LONGER,
  'request/request, classifyRequest: !target is false': 'No world has an address that is too long; a unit test has.',
  'request/request, classifyRequest: isCallback is true': ONLY_A_HINT,
  'request/request, classifyRequest: isCallback is false': ONLY_A_HINT,
  'request/request, classifyCallback: isVerifiedStart(req, policy) is true': ONLY_A_HINT,
  'request/request, classifyCallback: isVerifiedStart(req, policy) is false': ONLY_A_HINT,
  "start, start: method === 'GET' is true": NO_PROXY,
  'start, start: !verified is true': NO_PROXY,
  "start, start: method === 'GET' && tabSecret === undefined is true": NO_START_PATH,
  "start, start: method === 'GET' && tabSecret === undefined is false": NO_START_PATH,
  "start, start: method === 'GET' is true (2)": NO_START_PATH,
  'start, start: tabSecret === undefined is true (2)': NO_START_PATH,
  'callback, callback: error instanceof SocialLoginError && startPath !== undefined is true': NO_START_PATH,
  'callback, callback: error instanceof SocialLoginError && startPath !== undefined is false': NO_START_PATH,
  'callback, callback: error instanceof SocialLoginError is true': NO_START_PATH,
  'callback, callback: startPath !== undefined is true': NO_START_PATH,
  'callback, refusalError: hint === undefined is true': ONLY_A_HINT,
  'callback, refusalError: hint === undefined is false': ONLY_A_HINT,
  'callback, finish: user is true': ONLY_A_HINT,
  'callback, finish: user is false': ONLY_A_HINT,
  'callback, continueIfSignedIn: isRepeated is true (3)': ONLY_A_HINT,
  'callback, continueIfSignedIn: isRepeated is false (2)': ONLY_A_HINT,
  'callback, continueIfSignedIn: hint === undefined is true': ONLY_A_HINT,
  'callback, continueIfSignedIn: hint === undefined is false': ONLY_A_HINT,
}
