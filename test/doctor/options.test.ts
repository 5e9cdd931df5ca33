import type { ProviderBehaviours } from '../../lib/testing'
import { Browser } from '../support/browser'
import { approve, examineProvider } from '../support/doctor'
import { useLogins } from '../support/logins'

// What the doctor prints is what a login needs.

const logins = useLogins()

// exchangeMethod: 'get' warns: see endpoints.exchange-by-get.test.ts.
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterAll(() => emitWarning.mockRestore())

interface Ways {
  readonly behaviour: Partial<ProviderBehaviours>
  /** Appended to the registered redirect URL. */
  readonly query?: string
}

/** A login with the defaults, and one with the options that the doctor suggests. */
async function logInBefore(ways: Ways) {
  const { provider } = logins
  provider.setMode(ways.behaviour)
  const logIn = async (strategy: object) => {
    const app = await logins.startApp({ strategy })
    const { appID } = app.application
    provider.updateApplication(appID, { redirectURL: app.callbackURL + (ways.query ?? '') })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const { status } = await browser.comeBack(await approve(provider, app.application, '1'))
    return {
      ok: status === 200,
      photos: app.profiles[0]?.photos,
      application: { ...app.application, redirectURL: app.callbackURL },
    }
  }
  const byDefault = await logIn({})
  const examination = await examineProvider(provider, byDefault.application)
  const { baseURL: _, clientID: __, callbackURL: ___, ...suggested } = examination.options
  return { byDefault, suggested, examination, afterwards: await logIn(suggested) }
}

const mendable: readonly (readonly [Ways, object])[] = [
  [{ behaviour: { withoutUserMe: true } }, { profileEndpoint: 'get_user_info' }],
  ...(['method-not-allowed', 'not-found', 'invalid-app-id'] as const).map(
    (postAnswer) => [{ behaviour: { getOnly: true, postAnswer } }, { exchangeMethod: 'get' }] as const,
  ),
  [
    { behaviour: { getOnly: true, postAnswer: 'invalid-app-id', errorsAtStatus200: true, withoutUserMe: true } },
    { exchangeMethod: 'get', profileEndpoint: 'get_user_info' },
  ],
]

test.each(mendable)('%j: logins fail by default, and succeed with %j', async (ways, options) => {
  const { byDefault, suggested, examination, afterwards } = await logInBefore(ways)
  expect([byDefault.ok, suggested, afterwards.ok]).toStrictEqual([false, options, true])
  expect(examination.findings.filter(({ level }) => level === 'broken')).toStrictEqual([])
})

test('the root of relative pictures is found where the provider sends them twice', async () => {
  const { byDefault, suggested, afterwards } = await logInBefore({
    behaviour: { relativePictures: true, extraFields: true },
  })
  expect(byDefault).toMatchObject({ ok: true })
  const root = `${logins.provider.origin}/content/uploads/`
  expect(suggested).toEqual({ uploadsURL: root })
  expect(afterwards.photos).toStrictEqual([{ value: `${root}pictures/1.svg` }])
  expect((await fetch(`${root}pictures/1.svg`)).status).toBe(200)
})

test('relative pictures without a root need a look at the provider', async () => {
  const { suggested, examination } = await logInBefore({ behaviour: { relativePictures: true } })
  expect(suggested).toEqual({})
  const [pictures] = examination.findings.filter(({ check }) => check === 'Pictures')
  expect(pictures).toMatchObject({ level: 'differs', message: expect.stringContaining('Find the folder') })
})

test.each([
  ['Зоя', undefined],
  ['ገብሬ 🙂', undefined],
  ['ł', undefined],
  ['Zoé', true],
  ["O'Brien", true],
  ['Ωμέγα', true],
])('of names such as %s it is recorded whether they are encoded, if that shows: %s', async (name, expected) => {
  const { provider } = logins
  const plain = { user_name: 'zoe', user_lastname: null, user_picture: null }
  provider.addUser({ user_id: '77', user_firstname: name, ...plain })
  const app = await logins.startApp()
  const recorded = async (encodeEntities: boolean) => {
    provider.setMode({ encodeEntities })
    return (await examineProvider(provider, app.application, { userID: '77' })).mode.encodeEntities
  }
  expect(await recorded(true)).toBe(expected)
  expect(await recorded(false)).not.toBe(true)
})

test('where profile_picture is the same for everyone, the root is that of profile_cover', async () => {
  const { suggested, afterwards } = await logInBefore({
    behaviour: { relativePictures: true, extraFields: true, blankPictures: true },
  })
  const root = `${logins.provider.origin}/content/uploads/`
  expect([suggested, afterwards.photos]).toStrictEqual([{ uploadsURL: root }, [{ value: `${root}pictures/1.svg` }]])
})

const hopeless: readonly (readonly [Ways, string])[] = [
  [{ behaviour: { redirectWithJSONBody: true } }, 'The token came in the body of a redirect'],
  [{ behaviour: { htmlAtStatus200: true } }, 'A page instead of the API'],
  [{ behaviour: { scriptWarnings: true } }, 'The warnings of a script precede the JSON'],
  [{ behaviour: { appendAuthKeyBlindly: true }, query: '?a=1' }, 'The provider appends the key blindly'],
  [{ behaviour: { appendAuthKeyBlindly: true }, query: '#top' }, 'The provider appends the key blindly'],
  [{ behaviour: { escapeRedirectAmpersands: true }, query: '?a=1' }, 'The provider appends the key blindly'],
]

test.each(hopeless)('%j: no option helps, and the doctor says why', async (ways, reason) => {
  const { provider } = logins
  const { byDefault, examination, afterwards } = await logInBefore(ways)
  expect([byDefault.ok, afterwards.ok]).toStrictEqual([false, false])
  // With the redirect URL of the failing application.
  provider.updateApplication(byDefault.application.appID, {
    redirectURL: byDefault.application.redirectURL + (ways.query ?? ''),
  })
  const again = ways.query === undefined ? examination : await examineProvider(provider, byDefault.application)
  expect(again.findings).toContainEqual(
    expect.objectContaining({ level: 'broken', message: expect.stringContaining(reason) }),
  )
})

const harmless: readonly Partial<ProviderBehaviours>[] = [
  ...(
    [
      'errorsAtStatus200',
      'appendAuthKeyBlindly',
      'silentReapproval',
      'replaceKeyOnVisit',
      'hexCredentials',
      'reuseToken',
      'requireUserAgent',
      'htmlContentType',
      'sessionCookie',
      'contentTypeOptional',
      'stringTypes',
      'encodeEntities',
      'extraFields',
      'goneUserAsEmptyArray',
    ] as const
  ).map((name) => ({ [name]: true })),
  { wrapUser: 'user_info' },
  { wrapUser: 'data' },
]

test.each(harmless)('%j: logins succeed by default, and the doctor finds nothing broken', async (behaviour) => {
  const { byDefault, suggested, examination } = await logInBefore({ behaviour })
  expect([byDefault.ok, suggested]).toStrictEqual([true, {}])
  expect(examination.findings.filter(({ level }) => level === 'broken')).toStrictEqual([])
})

test('where a POST is refused, nothing is sent in a URL without permission', async () => {
  const { provider } = logins
  provider.setMode({ getOnly: true, postAnswer: 'invalid-app-id' })
  const app = await logins.startApp()
  const examination = await examineProvider(provider, app.application, { allowGet: false })
  const urls = provider.requests.map(({ path }) => path)
  expect(urls.join()).not.toContain(app.application.appSecret)
  expect(examination.findings).toContainEqual(
    expect.objectContaining({ check: 'Login', message: expect.stringContaining('Not completed') }),
  )
})

test('an examination with a login sends at most ten requests, each of which says who asks', async () => {
  const { provider } = logins
  const app = await logins.startApp()
  provider.clearRequests()
  await examineProvider(provider, app.application)
  const requests = provider.requests.filter(({ headers }) => headers['user-agent'] === 'doctor of a test')
  expect(requests.length).toBeLessThanOrEqual(10)
  expect(provider.requests.filter(({ headers }) => headers['user-agent'] === undefined)).toStrictEqual([])
})

test('an id that the strategy refuses is reported, as the login fails with it', async () => {
  const { provider } = logins
  provider.addUser({ user_id: '0' })
  const app = await logins.startApp()
  expect((await app.logIn(new Browser(), '0')).status).toBe(502)
  const { findings } = await examineProvider(provider, app.application, { userID: '0' })
  expect(findings.filter(({ level }) => level === 'broken').map(({ message }) => message)).toStrictEqual([
    'Its user_id is none that the strategy accepts (see profile_invalid).',
  ])
})

test('a record that itself has a member "data" is bare, as the client reads it', async () => {
  const { provider } = logins
  const app = await logins.startApp()
  const rewrite = (body: string): string => body.replace('{', '{"data":{"user_id":"2"},')
  provider.failNext('user/me', { rewrite }, { times: 100 })
  await app.logIn()
  expect(app.profiles[0]?.id).toBe('1')
  expect((await examineProvider(provider, app.application)).mode.wrapUser).toBe(false)
})

test.each(['http://10.0.0.7/uploads/', 'http://[fd00::1]/uploads/', 'http://localhost:8080/uploads/'])(
  'the folder %s of pictures, which the provider alone has named, is not proposed',
  async (root) => {
    const record = { user_id: '1', user_picture: 'pictures/1.svg', profile_picture: `${root}pictures/1.svg` }
    logins.provider.failNext('user/me', { body: JSON.stringify(record) }, { times: Infinity })
    const { suggested, examination } = await logInBefore({ behaviour: { relativePictures: true, extraFields: true } })
    expect(suggested).not.toHaveProperty('uploadsURL')
    expect(JSON.stringify(examination.findings)).not.toContain(root)
  },
)
