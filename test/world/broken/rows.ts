import { Browser } from '../../support/browser'
import type { Row } from './row'

/** The page of README's application, or that of the package. */
const OUTAGE = /^502 .*Please try again later.*\[(Back|Sign in)\]/

/** Of both adapters. */
export const rows: readonly Row[] = [
  { broken: 'nothing', terminal: /callback: success/, person: /Ada|\["social-login","1"\]/ },
  {
    broken: 'the wrong secret',
    env: { SOCIAL_CLIENT_SECRET: 'wrong-secret-canary-4711' },
    terminal: /auth_key_rejected: .*check clientID and clientSecret/,
    person: /refused the auth_key.*Sign in|Sign in.*refused the auth_key/,
    tester: /check clientID and clientSecret/,
  },
  {
    broken: 'the wrong clientID',
    env: { SOCIAL_CLIENT_ID: 'another' },
    visit: async (person) => {
      const { location } = await person.start()
      return person.browser.follow(location)
    },
    terminal: '',
    person: /^404 .*No application has this app_id/,
    tester: /not registered here: give the strategy its clientID/,
  },
  {
    broken: 'a baseURL where nothing listens',
    env: { SOCIAL_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    terminal: /provider_unreachable: .*The connection was refused: nothing listens there/,
    person: OUTAGE,
    tester: /redirects to http:..127.0.0.1:9.api.oauth, not to this provider/,
  },
  {
    broken: 'the baseURL of the pages',
    env: { SOCIAL_BASE_URL: 'ORIGIN' },
    terminal: /baseURL must end in .v1/,
  },
  {
    broken: 'a baseURL of another API',
    env: { SOCIAL_BASE_URL: 'ORIGIN/api/v2' },
    terminal: /baseURL must end in .v1/,
  },
  {
    broken: 'a baseURL of https for http',
    env: { SOCIAL_BASE_URL: 'HTTPS/api/v1' },
    terminal: /The TLS handshake failed: does that port speak https/,
    person: OUTAGE,
    tester: /redirects to https:.*, not to this provider/,
  },
  {
    broken: 'a baseURL that redirects',
    visit: async (person) => {
      person.provider.failNext('authorize', { redirect: 'https://social.example/api/v1/authorize' })
      return person.logIn()
    },
    terminal: /provider_redirected: .*It leads to another host .*baseURL must have that host/,
    person: OUTAGE,
  },
  {
    broken: 'the provider stops between start and callback',
    visit: async (person) => {
      await person.start()
      person.provider.failNext('authorize', { status: 503 })
      return person.comeBack()
    },
    terminal: /provider_unavailable: .*try again later/,
    person: OUTAGE,
  },
  {
    broken: 'a registered URL of another path',
    registered: '/elsewhere',
    terminal: '',
    person: /^404 /,
    tester: /answered 404 .*register a redirectURL with the path/,
  },
  {
    broken: 'a start at 127.0.0.1, a callback at localhost',
    visit: async (person) => {
      await person.start()
      person.browser = new Browser()
      return person.comeBack()
    },
    terminal: /sent no cookie at all.*cookies of localhost are not sent to 127.0.0.1/,
    person: /127.0.0.1.*/,
  },
  {
    broken: 'a restart between start and callback, with new secrets',
    visit: async (person) => {
      await person.start()
      await person.restart({ env: { LOGIN_COOKIE_KEY: 'another-cookie-key-canary-0123456789abc' } })
      return person.comeBack()
    },
    terminal:
      /its session is not known here: the application was restarted|cannot be opened: its keys have been changed/,
    person: /restarted.*Sign in|Go to the first page.*keys have been changed/,
  },
  {
    broken: 'a callback that was used is reloaded after an outage',
    visit: async (person) => {
      await person.start()
      const url = person.approved()
      person.provider.failNext('authorize', { status: 503 })
      await person.comeBack(url)
      return person.comeBack(url)
    },
    terminal: /provider_unavailable.*is over/s,
    person: /is over/,
  },
  {
    broken: 'two tabs: the second user returns after the first',
    visit: async (person) => {
      await person.start()
      await person.start()
      await person.comeBack()
      return person.comeBack(person.approved('2'))
    },
    terminal: /login_not_started: .*it is over/,
    // The page of the README does not bother users who are signed in.
    person: /it is over|Sign out/,
  },
  {
    broken: 'a start whose address is typed',
    visit: (person) => person.start({ 'sec-fetch-site': 'none' }),
    terminal: /start: the confirm page, because/,
    person: /^200 Sign in with .*\[Continue to/,
  },
  {
    broken: 'a start in a frame',
    visit: (person) => person.start({ 'sec-fetch-dest': 'iframe' }),
    terminal: /start_forbidden: .*requested for a frame: .*_top/,
    person: /^403 Signing in did not succeed.*\[Go to the first page\].*for a frame/,
  },
  {
    broken: 'a start by fetch()',
    visit: (person) => person.start({ 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', accept: '*/*' }),
    terminal: /navigation_required: .*navigate there instead/,
    person: /^403 .*"next":.*location.assign/,
  },
  {
    broken: 'a start behind a CDN that removes headers',
    visit: async (person) => {
      for (const _ of [1, 2, 3]) await bare(person.startURL)
      return bare(person.startURL)
    },
    terminal: /START_HEADERS_MISSING.*a proxy or CDN removes these headers/,
    person: /^200 Sign in with .*\[Continue to/,
  },
  {
    broken: 'a callback whose address is typed',
    visit: async (person) => {
      await person.start()
      return person.comeBack(undefined, { 'sec-fetch-site': 'none' })
    },
    terminal: /callback_forged: .*The address was typed/,
    person: /The address was typed/,
  },
  {
    broken: 'a callback without a key',
    visit: async (person) => {
      await person.start()
      return person.comeBack(person.callbackURL)
    },
    terminal: /auth_key_missing: The callback was opened without an auth_key/,
    person: /opened without an auth_key/,
  },
  {
    broken: 'a callback that no one started',
    visit: (person) => person.comeBack(),
    terminal: /login_not_started: .*sent no cookie at all/,
    person: /sent no cookie at all/,
  },
]

const bare = (url: string) => new Browser().request(url, { headers: { accept: 'text/html' } })

const LOGIN = 'LOGIN_COOKIE_KEY'
/** Of the web adapter and Hono. */
export const webRows: readonly Row[] = [
  {
    broken: 'no clientSecret',
    env: { SOCIAL_CLIENT_SECRET: '' },
    terminal: /clientSecret must be a non-empty string .is a variable not set/,
  },
  { broken: 'no key', env: { [LOGIN]: '' }, terminal: /at least 32 characters or bytes .openssl rand/ },
  { broken: 'a short key', env: { [LOGIN]: 'short' }, terminal: /at least 32 characters or bytes .openssl rand/ },
  {
    broken: 'neither key nor store',
    code: { 'keys: [LOGIN_COOKIE_KEY],': '' },
    terminal: /keys must be an array of 1 to 10 secrets/,
  },
  {
    broken: 'a path as callbackURL',
    env: { SOCIAL_CALLBACK_URL: '/auth/callback' },
    terminal: /callbackURL must be the whole registered URL/,
  },
  {
    broken: 'an option of the strategy',
    code: { 'keys: [LOGIN': 'verifyTimeout: 5, keys: [LOGIN' },
    terminal: /verifyTimeout is not an option of SocialLogin/,
  },
  {
    broken: 'the request of another framework',
    code: { 'login.start(c.req.raw': 'login.start(c.req' },
    terminal: /must be a Request of the Fetch standard .in Hono: c.req.raw/,
    person: /^500 Internal Server Error/,
    tester: /answered 500/,
  },
]
