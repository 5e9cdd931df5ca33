import fc from 'fast-check'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'
import { Browser } from '../support/browser'
import { startMinimalApp } from '../support/example/minimal-app'
import { useLogins } from '../support/logins'
import { sendBytes } from '../support/raw-requests'
import { runs } from '../support/runs'

// Requests that no browser sends, as bytes, at the small application of the README, which runs as a process.

const logins = useLogins('all tests', { rateLimit: Number.POSITIVE_INFINITY })
let app: Awaited<ReturnType<typeof startMinimalApp>>
beforeAll(async () => {
  app = await startMinimalApp(logins.provider)
})
afterAll(() => app.stop())

const CALLBACK = '/auth/social-login/callback'
const KEY = 'key-canary-6a2c91f0'
const of = (...values: [string, ...string[]]): fc.Arbitrary<string> => fc.constantFrom(...values)

// Values that break careless code, one character for each byte. A host of different ideographs costs the URL parser most.
const ideographs = Array.from({ length: 1500 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)))
const LONG_HOST = encodeURIComponent(ideographs.join(''))
const nasty = fc.oneof(
  of('', 'null', '1e999', '[]', '[object Object]', '__proto__', 'constructor', 'x'.repeat(6000), 'é', '\xff\xfe'),
  of('%', '%zz', '%00', '%ff', '%c0%af', '%0d%0aSet-Cookie:a=b', '%ED%A0%80', '//evil.example', '\\\\evil\\', 'a\tb'),
  fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
)
const host = of('evil.example', '[::1', 'localhost:99999', 'a@localhost', '%00', LONG_HOST, 'a.'.repeat(2000), '', ' ')

/** Mostly `usual`, in `percent` of all cases `rare`. */
const rarely = <T>(percent: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 100 - percent, arbitrary: usual }, { weight: percent, arbitrary: rare })
const text = (strings: TemplateStringsArray, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((values) => String.raw({ raw: strings }, ...values))

const route = of('/', '/auth/social-login', CALLBACK, CALLBACK, '/profile', '/logout', '/nowhere', '/__proto__')
const path = rarely(25, fc.oneof(text`${route}/`, text`/${route}`, text`${route}%00`, text`${route};${nasty}`), route)
const name = rarely(30, of('returnTo', 'error', 'state', 'social_login_tab', 'social_login_confirm'), of('auth_key'))
const pair = fc.oneof(
  text`${name}=${rarely(30, nasty, of(KEY))}`,
  text`${name}[]=${nasty}`,
  text`${name}[a][b]=${nasty}`,
  text`${name}%00=${nasty}&${name}=${nasty}`,
)
const query = rarely(30, of('', '?', `?${'a=b&'.repeat(2000)}`), text`?${pair}&${rarely(50, pair, of(''))}`)
// Behind a host that none can be, express-session finds no path and makes no session: Passport then answers 500.
const target = rarely(5, text`http://evil.example${path}${query}`, text`${path}${query}`)
// Node refuses other characters itself, and closes.
const visibleTarget = target.map((plain) => plain.replace(/[^\x21-\x7e]/g, encodeURIComponent) || '/')

const linesOf = (headers: object): string =>
  Object.entries(headers).reduce((all, [key, value]) => `${all}${key}: ${value}\r\n`, '')
const navigation = of(linesOf(sameOriginNavigation), linesOf(providerNavigation), '')
/** Stands for the cookie of a browser whose login has begun. */
const PENDING = '{{pending}}'
const cookie = rarely(
  50,
  text`Cookie: connect.sid=${fc.oneof(nasty, text`s%3A${nasty}.${of('', 'A', 'A'.repeat(43))}`)}\r\n`,
  of(`Cookie: ${PENDING}\r\n`),
)
const line = fc.oneof(
  text`${of('Accept', 'Origin', 'Referer', 'X-Forwarded-Proto', 'Sec-Fetch-Site', 'Sec-Purpose', '__proto__')}: ${nasty}\r\n`,
  text`${of('Origin', 'Referer')}: http://${host}\r\n`,
  of('Expect: 100-continue\r\n', 'Range: bytes=5-1\r\n', 'Accept: */*;q=x\r\n', 'X-Forwarded-For: unknown\r\n'),
)
const lines = fc.array(line, { maxLength: 3 }).map((all) => all.join(''))
const body = of('', 'a=%E0%A4%A&__proto__[x]=y', '{"a":', 'x'.repeat(20_000)).map(
  (whole) => `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${whole.length}\r\n\r\n${whole}`,
)
const ending = rarely(20, body, of('\r\n'))
const method = rarely(20, of('POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND'), of('GET'))
const request = text`${method} ${visibleTarget} HTTP/1.1\r\nHost: ${rarely(15, host, of('localhost'))}\r\n${navigation}${rarely(40, cookie, of(''))}${lines}${ending}`
const LAST = 'GET /profile HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/** Everything that is answered on one connection. */
async function statusesOf(requests: readonly string[]): Promise<number[]> {
  const browser = new Browser()
  await browser.follow(`${app.origin}/auth/social-login`)
  const bytes = requests.join('').replaceAll(PENDING, await browser.cookies(app.origin))
  const answer = await sendBytes(app.origin, bytes + LAST).catch((error: Error) => error.message)
  expect(answer).not.toContain('ECONNREFUSED')
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

/** A speculative request is answered with 503 by design; any other 5xx is a fault. */
const isFault = (status: number): boolean => status >= 500 && status !== 503

async function signsIn(): Promise<boolean> {
  const browser = new Browser()
  await browser.follow(`${app.origin}/auth/social-login`)
  const key = logins.provider.issueAuthKey({ appID: app.appID, userID: '1' })
  return (await browser.comeBack(`${app.callbackURL}?auth_key=${key}`)).location === '/profile'
}

const tried = runs(600, 150_000)
test(`the small application survives ${tried.numRuns} connections of random requests (seed ${tried.seed}), shows no key, and signs people in afterwards`, async () => {
  const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
    expect((await statusesOf(requests)).filter(isFault)).toStrictEqual([])
  })
  // Whoever gets no answer waits for longer.
  await fc.assert(property, { ...tried, timeout: 10_000 })
  expect(await signsIn()).toBe(true)
  expect(app.output()).not.toContain(KEY)
}, 3_600_000)
