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

/** What no condition of the generated ones says: statements, bounds, and other files. */
export const MUTANTS: readonly Mutant[] = [
  mutant('callback', 'no slot is released', 'settings.concurrentLogins.release();', ''),
  mutant(
    'callback',
    'the key is sent before the record is saved as used',
    "await (0, store_1.callStore)('callback', settings.timeout, () => adapter.store.consume(used));\n        onConsumed",
    'undefined;\n        void adapter.store.consume(used);\n        onConsumed',
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
    'pending-login/check',
    'a login expires a millisecond early',
    'age > limits_1.MAX_AGE_MS',
    'age >= limits_1.MAX_AGE_MS',
  ),
  mutant(
    'pending-login/check',
    'the skew is a millisecond less',
    'age < -limits_1.MAX_CLOCK_SKEW_MS',
    'age <= -limits_1.MAX_CLOCK_SKEW_MS',
  ),
  mutant(
    'pending-login/pending-login',
    'the signed-in user is not noted',
    'user: userDigest(id, input.user)',
    'user: null',
  ),
  mutant(
    'pending-login/check',
    'a silent approval ends a millisecond early',
    '<= limits_1.SILENT_APPROVAL_MS',
    '< limits_1.SILENT_APPROVAL_MS',
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
    'an unverified start needs no click',
    "confirmation !== undefined && settings.unverifiedStart !== 'allow'",
    'false',
  ),
  mutant(
    'start',
    'a start does not wait until its record is saved',
    "await (0, store_1.callStore)('start', settings.timeout, () => adapter.store.save(record))",
    "(0, store_1.callStore)('start', settings.timeout, () => adapter.store.save(record))",
  ),
  mutant(
    'start',
    'a callback without its key is a start',
    'if (mayLackKey && (await isCallbackWithoutKey(context)))',
    'if (false)',
  ),
  mutant('request/request', 'a prefetch is a request', '(0, headers_1.isSpeculative)(req)', 'false'),
  mutant(
    'request/headers',
    'a start may come from any page',
    ": fetchSite === 'same-origin'",
    ": fetchSite !== 'none'",
  ),
  mutant(
    'request/headers',
    'a start of an old browser may come from any page',
    'source !== undefined && isAppOrigin(source, req, policy)',
    'source !== undefined',
  ),
  mutant(
    'request/headers',
    'what WebKit requests for a worker is a navigation',
    'isNavigationByMetadata(req) && !acceptsPages(req)',
    'false',
  ),
  mutant(
    'request/headers',
    'a form that WebKit sends again is foreign',
    '(isFromApp(req, policy) || isAppNamed(req, policy))',
    'isFromApp(req, policy)',
  ),
  mutant(
    'request/headers',
    'a callback that WebKit requests again is foreign',
    "return fetchSite === 'none';",
    'return false;',
  ),
  mutant('request/headers', 'a frame is a page', " && req.header('sec-fetch-dest') === 'document'", ''),
  mutant(
    'pending-login/stores/session-store',
    'a used record is saved without its mark',
    'Object.assign({}, record, { consumed: true })',
    'record',
  ),
  mutant(
    'pending-login/stores/session-store',
    'nobody waits for the session to be saved',
    'return put(requireSession(req), Object.assign({}, record, { consumed: true }));',
    'void put(requireSession(req), Object.assign({}, record, { consumed: true }));',
  ),
  mutant(
    'pending-login/stores/cookie-store',
    'the cookie of a used login is kept',
    'this.#set(headers, await this.#cookies.consume(record));',
    '',
  ),
  mutant(
    'login',
    'every request has its own list of used logins',
    'usedLogins: this.#usedLogins, trace',
    'usedLogins: new used_logins_1.UsedLogins(), trace',
  ),
  mutant('login', 'nobody asks whether the session can sign in', '!context.adapter.canSignIn()', 'false'),
  mutant(
    'callback',
    'the looks at a used record and at its refusal change places',
    'const isUsed = record.consumed',
    "if (refusal)\n        throw new errors_1.SocialLoginError(refusal, 'callback');\n    const isUsed = record.consumed",
  ),
]

/** The mutants that break no promise, by their names, and why. */
export const SURVIVORS: Readonly<Record<string, string>> = {
  'pending-login/used-logins, UsedLogins: login.waiting === MAX_WAITING is false':
    'A bound of nine callbacks at once, which are more than any world has; a unit test shows it.',
}
