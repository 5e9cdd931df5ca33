import { readFileSync } from 'node:fs'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import * as main from '../../lib'
import * as testing from '../../lib/testing'
import { SocialLogin } from '../../lib/web'
import { good } from '../support/options'

// Each public function is called with wrong arguments, as plain JavaScript can. A TypeError or a RangeError of this package
// must name the argument, and never its value.

const CANARY = 'canary-5c1e'
const keys = ['k'.repeat(32)]
const options = { ...good, keys }
const record = { id: 'x' }
const nodeRequest = Object.assign(new IncomingMessage(new Socket()), { session: {}, res: undefined })
const webRequest = new Request('https://app.example/auth')
const grant = { appID: 'app', userID: '1' }
const verify = () => false

const { callbackURL: _, ...clientOptions } = good
const provider = new testing.FakeProvider()
provider.registerApplication({ name: 'App', redirectURL: 'http://localhost/cb', appID: 'app' })
const client = new main.SocialLoginClient(clientOptions)
const strategy = new main.Strategy(good, verify)
const login = new SocialLogin(options)
const [cookieStore, sessionStore, clock] = [
  new main.CookieStore({ keys }),
  new main.SessionStore(),
  new testing.Clock(),
]

interface Row {
  /** Calls it with these arguments. */
  readonly call: (...args: unknown[]) => unknown
  /** Arguments that are right. Those from `required` on may be missing. */
  readonly right: readonly unknown[]
  readonly required?: number
  /** Values that an argument takes although they are of another kind, by its index. */
  readonly takes?: Readonly<Record<number, readonly unknown[]>>
}

const method =
  (object: object, name: string) =>
  (...args: unknown[]) =>
    Reflect.apply(Reflect.get(object, name), object, args)
const construct =
  (built: unknown) =>
  (...args: unknown[]) =>
    typeof built === 'function' && Reflect.construct(built, args)

const withRecord = (store: object, name: string): Row => ({ call: method(store, name), right: [nodeRequest, record] })
const withRequest = (store: object, name: string): Row => ({ call: method(store, name), right: [nodeRequest] })
const ofProvider = (name: string, right: readonly unknown[], required = right.length): Row => ({
  call: method(provider, name),
  right,
  required,
})
const token = 'token'

const ROWS: Readonly<Record<string, Row>> = {
  'Clock.advance': { call: method(clock, 'advance'), right: [0] },
  'Clock.set': { call: method(clock, 'set'), right: [0] },
  'CookieStore.constructor': { call: construct(main.CookieStore), right: [{ keys }] },
  'CookieStore.save': withRecord(cookieStore, 'save'),
  'CookieStore.load': withRequest(cookieStore, 'load'),
  'CookieStore.consume': withRecord(cookieStore, 'consume'),
  'CookieStore.explain': withRequest(cookieStore, 'explain'),
  'SessionStore.save': withRecord(sessionStore, 'save'),
  'SessionStore.load': withRequest(sessionStore, 'load'),
  'SessionStore.consume': withRecord(sessionStore, 'consume'),
  'SessionStore.explain': withRequest(sessionStore, 'explain'),
  'FakeProvider.constructor': { call: construct(testing.FakeProvider), right: [{}], required: 0 },
  'FakeProvider.start': { call: method(testing.FakeProvider, 'start'), right: [{ port: -1 }], required: 0 },
  'FakeProvider.setMode': ofProvider('setMode', ['specification']),
  'FakeProvider.registerApplication': ofProvider('registerApplication', [{ name: 'A', redirectURL: 'http://a/' }]),
  'FakeProvider.updateApplication': ofProvider('updateApplication', ['app', {}]),
  'FakeProvider.renewSecret': ofProvider('renewSecret', ['app']),
  'FakeProvider.removeApplication': ofProvider('removeApplication', ['none']),
  'FakeProvider.addUser': ofProvider('addUser', [{}], 0),
  'FakeProvider.updateUser': ofProvider('updateUser', ['1', {}]),
  'FakeProvider.removeUser': ofProvider('removeUser', ['none']),
  'FakeProvider.issueAuthKey': ofProvider('issueAuthKey', [grant]),
  'FakeProvider.approve': ofProvider('approve', [grant]),
  'FakeProvider.revoke': ofProvider('revoke', [grant]),
  'FakeProvider.failNext': ofProvider('failNext', ['oauth', {}, { times: 1 }], 2),
  'SocialLogin.constructor': { call: construct(SocialLogin), right: [options] },
  'SocialLoginClient.constructor': { call: construct(main.SocialLoginClient), right: [clientOptions] },
  'SocialLoginClient.exchangeAuthKey': { call: method(client, 'exchangeAuthKey'), right: ['', {}], required: 1 },
  'SocialLoginClient.getCurrentUser': { call: method(client, 'getCurrentUser'), right: [token, {}], required: 1 },
  'SocialLoginClient.getUserInfo': { call: method(client, 'getUserInfo'), right: [token, {}], required: 1 },
  'SocialLoginClient.fetchUser': { call: method(client, 'fetchUser'), right: ['auto', token, {}], required: 2 },
  'SocialLoginError.constructor': {
    call: construct(main.SocialLoginError),
    right: ['overloaded', 'start', {}],
    required: 2,
  },
  'Strategy.constructor': { call: construct(main.Strategy), right: [good, verify] },
  'Strategy.authenticate': { call: method(strategy, 'authenticate'), right: [nodeRequest, {}], required: 1 },
  'Strategy.pendingLogin': { call: method(strategy, 'pendingLogin'), right: [nodeRequest, {}], required: 1 },
  'Strategy.userProfile': { call: method(strategy, 'userProfile'), right: [token, verify] },
  'WebLogin.start': { call: method(login, 'start'), right: [webRequest, { user: null }] },
  'WebLogin.callback': { call: method(login, 'callback'), right: [webRequest, { user: null }] },
  'WebLogin.pendingLogin': { call: method(login, 'pendingLogin'), right: [webRequest, { user: null }] },
  checkPendingLoginStore: { call: method(testing, 'checkPendingLoginStore'), right: [verify, {}], required: 1 },
  onPhaseEnd: { call: method(main, 'onPhaseEnd'), right: ['start', verify] },
  signIn: {
    call: method(testing, 'signIn'),
    right: [async () => new Response(), { provider }],
    takes: { 0: [verify] },
  },
  toProfile: {
    call: method(main, 'toProfile'),
    right: [{ user: { user_id: '1' }, json: {}, raw: '' }, {}],
    required: 1,
  },
}

/** The functions, and the methods and constructors with parameters, of the three entry points. */
function publicFunctions(): string[] {
  const report = readFileSync(join(__dirname, '../../../test/package/public-api.txt'), 'utf8')
  const functions = Array.from(report.matchAll(/^(?:declare )?function (\w+)/gm), ([, name = '']) => name)
  const classes = Array.from(report.matchAll(/^class (\w+).*{\n((?: .*\n)*)}/gm)).flatMap(([, name = '', body = '']) =>
    Array.from(body.matchAll(/^ {4}(?:static )?(\w+)\([^)]/gm), ([, member = '']) => `${name}.${member}`),
  )
  return [...new Set([...functions, ...classes])]
}

test('every public function with parameters has a row', () => {
  expect(publicFunctions().sort()).toEqual(Object.keys(ROWS).sort())
})

const WRONG: readonly unknown[] = [
  null,
  CANARY,
  7,
  true,
  [CANARY],
  { misspelt: CANARY },
  verify,
  Promise.resolve(CANARY),
  new Map([[CANARY, CANARY]]),
]
const ENGINE =
  /Cannot (read|destructure|convert)|is not (a function|iterable|a constructor)|undefined \(reading|Received/

/** What a call comes to: its error, or undefined where it has accepted the arguments. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : value instanceof Promise || value instanceof Map
      ? value.constructor.name
      : Array.isArray(value)
        ? 'array'
        : typeof value

const OPEN = [
  // Passport has options of its own.
  'Strategy.authenticate',
  'toProfile',
  'CookieStore.save',
  'CookieStore.consume',
  'SessionStore.save',
  'SessionStore.consume',
]

const isPlain = (value: unknown): boolean =>
  Object.getPrototypeOf(Object(value)) === Object.prototype && kindOf(value) === 'object'

describe.each(Object.entries(ROWS))('%s', (name, { call, right, required = right.length, takes = {} }) => {
  const positions = right.map((_, index) => index)

  test.each(positions)('refuses wrong values of its argument number %i, and shows none', async (index) => {
    const wrong = WRONG.filter((value) => kindOf(value) !== kindOf(right[index]) && !takes[index]?.includes(value))
    const missing = index < required ? [undefined] : []
    for (const value of [...missing, ...wrong]) {
      const given = right.map((each, position) => (position === index ? value : each))
      const error = await outcomeOf(() => call(...given))
      const what = `${name} with ${kindOf(value)} as argument ${index}: ${error}`
      expect([what, error instanceof TypeError || error instanceof RangeError]).toStrictEqual([what, true])
      expect([what, ENGINE.test(String(error))]).toStrictEqual([what, false])
      expect(String(error)).not.toContain(CANARY)
    }
  })

  test('refuses a member that an argument does not have', async () => {
    // A record, and what a provider sends, may have more.
    const closed = positions.filter((index) => isPlain(right[index]) && !OPEN.includes(name))
    for (const index of closed) {
      const given = right.map((each, position) => (position === index ? { ...Object(each), misspelt: CANARY } : each))
      const error = await outcomeOf(() => call(...given))
      expect([name, error instanceof TypeError]).toStrictEqual([name, true])
      expect(String(error)).toContain('misspelt')
      expect(String(error)).not.toContain(CANARY)
    }
  })
})

const sentences: readonly (readonly [title: string, call: () => unknown, says: RegExp])[] = [
  [
    'a constructor whose options were not awaited',
    () => construct(main.Strategy)(Promise.resolve(good), verify),
    /^Strategy needs an options object, not a promise \(await it first\)$/,
  ],
  [
    'a constructor whose arguments were swapped',
    () => construct(main.Strategy)(verify, good),
    /^Strategy needs a verify function after its options, not an object$/,
  ],
  [
    'a user without an id',
    () => method(main, 'toProfile')({ user: {}, json: {}, raw: '' }),
    /^toProfile: answer must be what fetchUser resolves to/,
  ],
  [
    'a state that was not awaited',
    () => method(login, 'start')(startOf('/auth'), { user: null, state: Promise.resolve(1) }),
    /^state must be JSON of at most 1,024 bytes \(await a promise\)$/,
  ],
  [
    'a clock of another kind',
    () => construct(testing.FakeProvider)({ clock: new Date() }),
    /^FakeProvider: options.clock must be a Clock, not an instance of a class$/,
  ],
  [
    'a user of another kind',
    () => construct(testing.FakeProvider)({ users: [CANARY] }),
    /^a user must be an object, not a string$/,
  ],
  [
    'an id that is no number',
    () => method(provider, 'addUser')({ user_id: Number.NaN }),
    /^user_id: a number must be whole, with no digits lost beyond 2\^53/,
  ],
  [
    'another id for a user',
    () => method(provider, 'updateUser')('1', { user_id: '2' }),
    /^updateUser: changes must be an object with the fields of a user but user_id, which stays/,
  ],
  [
    'a class instead of a store',
    () => method(testing, 'checkPendingLoginStore')(() => main.CookieStore),
    /^checkPendingLoginStore: makeStore: what it returns must be a PendingLoginStore with save, load and consume/,
  ],
  [
    "Node's own fetch, which knows no application",
    () => method(testing, 'signIn')(fetch, { provider }),
    /^signIn: browser must be an Express or Connect application/,
  ],
  [
    'a class, which is no application',
    () => method(testing, 'signIn')(class Application {}, { provider }),
    /^signIn: browser must be an Express or Connect application/,
  ],
  [
    'a prefix in the name of a cookie',
    () => construct(main.CookieStore)({ keys, name: '__Host-login' }),
    /^name must have no prefix: hostPrefix adds it$/,
  ],
]

/** A request that starts a login, whose headers a test of the environment of Node may set. */
function startOf(path: string): Request {
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  return new Request(`https://app.example${path}`, { headers })
}

test.each(sentences)('%s is told by what must be given, and the type of what came', async (_title, call, says) => {
  const error = await outcomeOf(call)
  expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
  expect(error instanceof Error && error.message).toMatch(says)
})
