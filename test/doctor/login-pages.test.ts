import type { RequestListener } from 'node:http'
import type { RecordedMode, SuggestedOptions } from '../../lib/doctor/examination'
import { checkLoginPage, reportOrigin } from '../../lib/doctor/login-page'
import { findingsOf, newExamination, useServers } from '../support/doctor'

// What the doctor tells, proposes and records of the page at which people sign in.

const { serve } = useServers()

type Answer = readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>]
const FORM = '<form>'
const MARK = { 'cf-mitigated': 'challenge' }

/** A provider whose pages answer so; `isKnown` tells whether the address has the id of the application. */
async function check(answer: (isKnown: boolean, path: string) => Answer, appID: string | undefined = 'app-7') {
  const sent: string[] = []
  const listener: RequestListener = ({ method, url = '', headers }, response) => {
    const isKnown = url.includes('app-7')
    const path = url.replace(/=[\da-f]{32}$/, '=INVENTED').replace(/=[a-f]{3}-\d$/, '=OTHER')
    sent.push(`${method} ${path} ${headers.accept}`)
    const [status, body = FORM, more = {}] = answer(isKnown, url)
    response.writeHead(status, more).end(body)
  }
  const baseURL = new URL(await serve(listener))
  const progress: string[] = []
  const examination = newExamination(baseURL.origin, { progress: (line) => progress.push(line), finding: () => {} })
  await checkLoginPage(baseURL, appID === '' ? undefined : appID, examination)
  await examination.probe.close()
  expect(progress).toEqual(['Visiting the login page'])
  const { options, mode } = examination
  return { findings: findingsOf(examination), options, mode, sent }
}

const KNOWN = 'GET /api/oauth?app_id=app-7 text/html'
/** An id of the same form as that of the application, and one without an application. */
const OTHER = 'GET /api/oauth?app_id=OTHER text/html'
const INVENTED = 'GET /api/oauth?app_id=INVENTED text/html'
const ON_ORIGIN = 'good Login page: It is on the origin of the API.'
const IS_KNOWN = 'good Application: The provider knows the application id: it answers otherwise to one that nobody has.'
const LOOKS_THE_SAME =
  'differs Application: The login page looks the same for an id that nobody has: whether yours is known shows in a browser.'
const ANY_ID = (status: number) => `broken Login page: It answers any id with status ${status}.`
const REFUSES_ID = (status: number) =>
  `broken Login page: It refuses the application id with status ${status}: copy app_id from the provider's page for developers.`
const FAILS = (status: number) => `broken Login page: It fails with status ${status}.`
const MISSING =
  'broken Login page: There is none at this address. If the site is in a folder, that is part of the address: https://SITE/FOLDER/api/v1.'
const LIMIT = (status: number) =>
  `differs Login page: A firewall or a limit keeps this program out (status ${status}): look in a browser.`
const GIVE_ID = (status: number) =>
  `differs Login page: It refuses an id that nobody has, with status ${status}: give --app-id for more.`
const same = { signInFirst: true }
const refused = { signInFirst: false }

/** What is answered to the id of the application, and to others. */
const answers =
  (known: Answer, other: Answer = known) =>
  (isKnown: boolean): Answer =>
    isKnown ? known : other
const sized = (length: number): Answer => [200, 'x'.repeat(length)]

test.each<[title: string, answer: (isKnown: boolean) => Answer, findings: string[], mode?: RecordedMode]>([
  ['that refuses other ids', answers([200], [404]), [ON_ORIGIN, IS_KNOWN], refused],
  ['that refuses other ids with status 400', answers([200], [400]), [ON_ORIGIN, IS_KNOWN], refused],
  ['that answers other ids with status 399', answers([200], [399]), [ON_ORIGIN, IS_KNOWN]],
  ['that is 64 characters longer', answers(sized(164), sized(100)), [ON_ORIGIN, IS_KNOWN]],
  ['that is 64 characters shorter', answers(sized(100), sized(164)), [ON_ORIGIN, IS_KNOWN]],
  ['that limits other ids', answers([200], [429]), [ON_ORIGIN], refused],
  ['that fails for other ids', answers([200], [500]), [ON_ORIGIN], refused],
  ['that a firewall guards against other ids', answers([200], [403, FORM, MARK]), [ON_ORIGIN], refused],
])('a login page %s', async (_title, answer, findings, mode = {}) => {
  expect(await check(answer)).toStrictEqual({ findings, options: {}, mode, sent: [OTHER, KNOWN, OTHER] })
})

test.each<[title: string, answer: (isKnown: boolean) => Answer]>([
  ['for all ids', answers([200])],
  ['but for 63 characters', answers(sized(163), sized(100))],
  ['but for 63 characters less', answers(sized(100), sized(163))],
])('a login page that is the same %s', async (_title, answer) => {
  const findings = [ON_ORIGIN, LOOKS_THE_SAME]
  expect(await check(answer)).toStrictEqual({ findings, options: {}, mode: same, sent: [OTHER, KNOWN] })
})

test('a login page that is another at each visit', async () => {
  let visits = 0
  const told = await check(() => sized(100 * ++visits))
  const findings = [ON_ORIGIN, LOOKS_THE_SAME]
  expect(told).toStrictEqual({ findings, options: {}, mode: same, sent: [OTHER, KNOWN, OTHER] })
})

test('a login page that is the same for all ids, whatever digits are in it', async () => {
  const { findings } = await check(() => [200, '7'.repeat(100)], '7')
  expect(findings).toEqual([ON_ORIGIN, LOOKS_THE_SAME])
})

test('a login page that repeats the id, however often and long', async () => {
  const repeat = (_isKnown: boolean, path: string): Answer => [200, path.repeat(50)]
  for (const appID of ['app-7', `app-7${'x-'.repeat(40)}`, '7']) {
    const { findings } = await check(repeat, appID)
    expect(findings).toEqual([ON_ORIGIN, LOOKS_THE_SAME])
  }
})

test.each<[answer: (isKnown: boolean) => Answer, finding: string, mode?: RecordedMode]>([
  [answers([400]), ANY_ID(400), refused],
  [answers([403]), ANY_ID(403), refused],
  [answers([405]), ANY_ID(405), refused],
  [answers([499]), ANY_ID(499), refused],
  [answers([404]), MISSING, refused],
  [answers([410]), MISSING, refused],
  [answers([403], [200]), REFUSES_ID(403)],
  [answers([404], [403]), REFUSES_ID(404), refused],
  [answers([500]), FAILS(500), refused],
  [answers([502], [200]), FAILS(502)],
  [answers([429], [200]), LIMIT(429)],
  [answers([503], [200]), LIMIT(503)],
  [answers([200, FORM, MARK], [200]), LIMIT(200)],
  [answers([403, FORM, MARK], [200]), LIMIT(403)],
])('a login page that is none for the application (case %#): %s', async (answer, finding, mode = {}) => {
  expect(await check(answer)).toStrictEqual({ findings: [finding], options: {}, mode, sent: [OTHER, KNOWN] })
})

test.each<[Answer, finding: string, mode?: RecordedMode]>([
  [[200], ON_ORIGIN],
  [[404], GIVE_ID(404), refused],
  [[403], GIVE_ID(403), refused],
  [[500], FAILS(500), refused],
  [[429], LIMIT(429), refused],
])('a login page that answers an invented id with %j', async (answer, finding, mode = {}) => {
  expect(await check(() => answer, '')).toStrictEqual({ findings: [finding], options: {}, mode, sent: [INVENTED] })
})

describe('a login page that redirects', () => {
  const to = (location: string): Answer => [302, '', { location }]
  const NO_WEB_ADDRESS = 'broken Login page: The login page redirects to something that is no web address.'

  /** Redirects a number of times. */
  const times =
    (count: number) =>
    (_isKnown: boolean, path: string): Answer => {
      const at = Number(/^\/sign-in(\d+)/.exec(path)?.[1] ?? 0)
      return at < count ? to(`/sign-in${at + 1}`) : [200]
    }

  test('is followed five times, and asked in the same way', async () => {
    const { findings, sent } = await check(times(5), '')
    const further = [1, 2, 3, 4, 5].map((at) => `GET /sign-in${at} text/html`)
    expect([findings, sent]).toEqual([[ON_ORIGIN], [INVENTED, ...further]])
  })

  test('a sixth time is not followed', async () => {
    const { findings, sent } = await check(times(6), '')
    expect([findings, sent.length]).toEqual([['broken Login page: The login page redirects in a circle.'], 6])
  })

  test('elsewhere for other ids knows the id of the application', async () => {
    const answer = (isKnown: boolean, path: string): Answer =>
      path.startsWith('/api') && !isKnown ? to('/unknown') : [200]
    const { findings, mode } = await check(answer)
    expect([findings, mode]).toEqual([[ON_ORIGIN, IS_KNOWN], {}])
  })

  test.each<[Answer, finding: string]>([
    [[302], ON_ORIGIN],
    [[200, FORM, { location: '/elsewhere' }], ON_ORIGIN],
    [to(''), NO_WEB_ADDRESS],
    [to('app://login'), NO_WEB_ADDRESS],
    [
      to('http://10.0.0.7/'),
      'differs Login page: It leads to http://10.0.0.7, a private address, and nobody typed it: nothing is asked there. Look in a browser.',
    ],
    [
      [200, FORM, { 'x-policy': 'x'.repeat(40_000) }],
      'differs Login page: The headers of the response are larger than this package reads. Look in a browser.',
    ],
  ])('or not, with %j', async (answer, finding) => {
    const told = await check(() => answer, '')
    expect(told).toStrictEqual({ findings: [finding], options: {}, mode: {}, sent: [INVENTED] })
  })

  test('to nothing: a connection that closes', async () => {
    const baseURL = new URL(await serve((request) => request.socket.destroy()))
    const examination = newExamination(baseURL.origin)
    await checkLoginPage(baseURL, undefined, examination)
    await examination.probe.close()
    expect(findingsOf(examination)).toEqual([
      'broken Login page: The connection was closed before the response was complete.',
    ])
  })
})

describe('a login page at another origin', () => {
  const baseURL = new URL('https://a.example/api/v1')
  const origin = 'https://login.a.example'

  test.each<[url: string, finding: string | undefined, options: SuggestedOptions]>([
    ['https://a.example/sign-in', ON_ORIGIN, {}],
    [
      `${origin}/sign-in`,
      `differs Login page: It is on another origin than the API, ${origin}. Callbacks from there are refused unless allowedCallbackOrigins names it.`,
      { allowedCallbackOrigins: [origin] },
    ],
    ['https://canary.example/', undefined, {}],
  ])('%s is told with the option for it, unless a secret is in its name', (url, finding, options) => {
    const examination = newExamination()
    examination.hide('canary')
    reportOrigin(baseURL, { url: new URL(url) }, examination)
    expect([findingsOf(examination), examination.options]).toEqual([finding === undefined ? [] : [finding], options])
  })
})
