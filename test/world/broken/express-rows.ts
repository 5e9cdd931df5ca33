import { Browser } from '../../support/browser'
import type { Row } from './row'

const SESSION =
  "app.use((0, express_session_1.default)({ secret: SESSION_SECRET, resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }));"
const PASSPORT_SESSION = 'app.use(passport_1.default.session());'
const LAX = "sameSite: 'lax'"
const VERIFY = `async (_accessToken, _refreshToken, profile) => {
    return { id: profile.id, name: profile.displayName }; // find or create your user here
}`
const HANDLER = 'app.use(handleErrors);'
const LATER = /^50[0-4] Please try again later. \[Back\]\(\/\)$/
const REFUSED = /^401 Signing in did not succeed Please try to sign in again.*\[Sign in\].*For the operator/

/** Of Passport and Express. */
export const expressRows: readonly Row[] = [
  {
    broken: 'no clientSecret',
    env: { SOCIAL_CLIENT_SECRET: '' },
    terminal: /clientSecret must be a non-empty string .is a variable not set/,
  },
  {
    broken: 'no baseURL',
    env: { SOCIAL_BASE_URL: '' },
    terminal: /baseURL must be a non-empty string .is a variable not set/,
  },
  {
    broken: 'a baseURL without scheme',
    env: { SOCIAL_BASE_URL: 'social.example/api/v1' },
    terminal: /baseURL must be an absolute http/,
  },
  {
    broken: 'a baseURL of plain http',
    env: { SOCIAL_BASE_URL: 'http://social.example/api/v1' },
    terminal: /baseURL must be https: plain http is for loopback hosts/,
  },
  {
    broken: 'no callbackURL',
    code: { "callbackURL: '/auth/social-login/callback',": '' },
    terminal: /callbackURL must be a non-empty string/,
  },
  {
    broken: 'clientId for clientID',
    code: { 'clientID: SOCIAL': 'clientId: SOCIAL' },
    terminal: /clientId is not an option of Strategy: did you mean clientID/,
  },
  {
    broken: 'an option of passport-oauth2',
    code: { 'clientID: SOCIAL': "tokenURL: 'https://social.example/token', clientID: SOCIAL" },
    terminal: /tokenURL is not an option of Strategy: it is derived from baseURL/,
  },
  {
    broken: 'no verify function',
    code: { 'Strategy(options, async': 'Strategy(options, undefined, async' },
    terminal: /Strategy needs a verify function after its options/,
  },
  {
    broken: 'a short key of the CookieStore',
    code: { 'baseURL: SOCIAL': "store: new passport_social_login_1.CookieStore({ keys: ['short'] }), baseURL: SOCIAL" },
    terminal: /at least 32 characters or bytes .openssl rand/,
  },
  {
    broken: 'no passport.session()',
    code: { [PASSPORT_SESSION]: '' },
    visit: async (person) => {
      const answer = await person.logIn()
      await person.start()
      return answer
    },
    terminal: /PASSPORT_SESSION_MISSING.*mount passport.session/,
    person: /^200 null$/,
  },
  {
    broken: 'no session',
    code: { [SESSION]: '', [PASSPORT_SESSION]: '' },
    terminal: /The request has no session/,
    person: LATER,
    tester: /mount session middleware before passport.authenticate/,
  },
  {
    broken: 'no session before passport.session()',
    code: { [SESSION]: '' },
    terminal: /Did you forget to use `express-session` middleware/,
    person: LATER,
    tester: /answered 500 .*see the log of the application/,
  },
  {
    broken: 'the session after passport.session()',
    code: { [SESSION]: '', [PASSPORT_SESSION]: PASSPORT_SESSION + SESSION },
    terminal: /Did you forget to use `express-session` middleware/,
    person: LATER,
    tester: /answered 500 .*see the log of the application/,
  },
  {
    broken: 'the session after the routes',
    code: { [SESSION]: '', [PASSPORT_SESSION]: '', [HANDLER]: SESSION + PASSPORT_SESSION + HANDLER },
    terminal: /mount session middleware before passport.authenticate/,
    person: LATER,
    tester: /The request has no session/,
  },
  {
    broken: 'a Secure cookie on plain http',
    code: { [LAX]: `${LAX}, secure: true` },
    terminal: /SESSION_COOKIE_NOT_SET.*secure: 'auto'/,
    person: /^200 .*Sign in/,
    tester: /the start set no cookie: with `secure: true`/,
  },
  {
    broken: 'a cookie with SameSite=Strict',
    code: { [LAX]: "sameSite: 'strict'" },
    visit: async (person) => {
      await person.start()
      person.browser = new Browser()
      return person.comeBack()
    },
    terminal: /SESSION_COOKIE_STRICT.*set sameSite: 'lax'/,
    person: /sent no cookie at all.*Sign in/,
    tester: /SameSite=Strict, which no browser sends/,
  },
  {
    broken: 'verify without return',
    code: { 'return { id': '({ id', 'profile.displayName }': 'profile.displayName })' },
    terminal: /verify function returned nothing: return a user, or false/,
    person: LATER,
    tester: /application_error: a function of the application, such as verify, failed/,
  },
  {
    broken: 'an unawaited promise as the user',
    code: { [VERIFY]: '(_a, _r, profile, done) => done(null, Promise.resolve({ id: profile.id }))' },
    terminal: /passed a promise to done: await it first/,
    person: LATER,
    tester: /application_error: a function of the application/,
  },
  {
    broken: 'verify throws',
    code: { 'return { id': "throw new Error('the database is away'); return { id" },
    terminal: /Error: the database is away/,
    person: LATER,
    tester: /application_error: a function of the application/,
  },
  {
    broken: 'verify never answers',
    code: { [VERIFY]: '(_a, _r, _profile, _done) => {}', 'baseURL: SOCIAL': 'verifyTimeout: 50, baseURL: SOCIAL' },
    terminal: /verify_timeout: .*call done or settle its promise/,
    person: LATER,
    tester: /call done or settle its promise/,
  },
  {
    broken: 'verify refuses without a reason',
    code: { 'return { id': 'return false; return { id' },
    terminal: /verify_refused: The verify function did not accept the user/,
    person: /^200 This application did not accept the account.*Sign in/,
    tester: /verify_refused: the verify function returned no user/,
  },
  {
    broken: 'verify refuses with a reason, and no failureRedirect',
    code: {
      "{ failureRedirect: '/', failureMessage: true }": '{}',
      [VERIFY]: "(_a, _r, _profile, done) => done(null, false, { message: 'This account is <closed>.' })",
    },
    terminal: /verify_refused: The verify function did not accept the user/,
    person:
      /^401 Signing in did not succeed This account is &lt;closed&gt;. .*\[Go to the first page\].*verify_refused/,
    tester: /verify_refused: the verify function returned no user/,
  },
  {
    broken: 'a maxAge in seconds',
    code: { [LAX]: `${LAX}, maxAge: 20_000` },
    visit: async (person) => {
      await person.start()
      // What a browser does of which the cookie has expired.
      person.browser = new Browser()
      return person.comeBack()
    },
    terminal: /or expired .its maxAge is in milliseconds/,
    person: /maxAge is in milliseconds.*Sign in/,
  },
  {
    broken: 'another application of localhost with a cookie of the same name',
    visit: async (person) => {
      await person.start()
      person.browser = new Browser()
      return person.comeBack(undefined, { cookie: 'connect.sid=s%3Aother.signature' })
    },
    terminal: /that of another application on this host, whatever its port/,
    person: /that of another application on this host.*Sign in/,
  },
  {
    broken: 'a callbackURL without the path of its router',
    code: { "callbackURL: '/auth/social-login/callback'": "callbackURL: '/social-login/callback'" },
    terminal: /callback_forged: .*the whole path of the registered redirect URL, including that of a router/,
    person: /the whole path of the registered redirect URL, including that of a router.*Sign in/,
    tester: /the whole path of the registered redirect URL, including that of a router/,
  },
  {
    broken: 'the parameters of verify in another order',
    code: { '_accessToken, _refreshToken, profile': '_accessToken, profile, _done' },
    terminal: /verify: application_error: .*Cannot read properties of undefined .reading 'id'/s,
    person: LATER,
    tester: /application_error: a function of the application, such as verify/,
  },
  {
    broken: 'no serializeUser',
    code: { 'passport_1.default.serializeUser((user, done) => done(null, user));': '' },
    terminal: /Failed to serialize user into session/,
    person: LATER,
    tester: /answered 500 .*and signed no one in/,
  },
  {
    broken: 'no deserializeUser',
    code: { 'passport_1.default.deserializeUser((user, done) => done(null, user));': '' },
    terminal: /Failed to deserialize user out of session/,
    person: LATER,
  },
  {
    broken: 'another name of the strategy at the route',
    code: { "authenticate('social-login', { returnTo": "authenticate('social', { returnTo" },
    terminal: /Unknown authentication strategy "social"/,
    person: LATER,
    tester: /answered 500/,
  },
  {
    broken: 'the session of cookie-session',
    code: { [SESSION]: "app.use(require('cookie-session')({ keys: [SESSION_SECRET] }));" },
    terminal: /lacks regenerate or save .cookie-session has neither/,
    person: LATER,
    tester: /session_unsupported/,
  },
  {
    broken: 'the wrong secret, and no failureRedirect',
    env: { SOCIAL_CLIENT_SECRET: 'wrong-secret-canary-4711' },
    code: { "{ failureRedirect: '/', failureMessage: true }": '{}' },
    terminal: /auth_key_rejected: .*check clientID and clientSecret/,
    person: REFUSED,
    tester: /check clientID and clientSecret/,
  },
  {
    broken: 'the callback mounted at another path than its registered URL',
    code: { "app.get('/auth/social-login/callback'": "app.get('/callback'" },
    terminal: '',
    person: /^404 Cannot GET .auth.social-login.callback$/,
    tester: /answered 404 .*register a redirectURL with the path/,
  },
  {
    broken: 'one route for start and callback',
    code: {
      "app.get('/auth/social-login/callback'": "app.get('/callback'",
      "{ returnTo: '/profile' }": 'onFailure',
      'const onFailure': 'var onFailure',
      "callbackURL: '/auth/social-login/callback'": "callbackURL: '/auth/social-login'",
    },
    registered: '/auth/social-login',
    terminal: /a login starts at its own route, not at that of callbackURL/,
    person: /^401 Signing in did not succeed.*For the operator .*its own route/,
    tester: /answered 401 ."The callback was opened .*its own route/,
  },
]
