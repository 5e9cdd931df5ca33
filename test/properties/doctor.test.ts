import fc from 'fast-check'
import { type Application, asDeployed, FakeProvider, type ProviderBehaviours, specification } from '../../lib/testing'
import { approve, examineProvider } from '../support/doctor'
import { ask, bearer, type Seen } from '../support/provider-http'
import { runs } from '../support/runs'

// What the doctor records of a provider makes the fake provider answer as that provider did.

/** What nobody sees from outside, or only after long waiting, beyond a limit, in two logins, or by requests unlike ours. */
const UNSEEN = [
  'silentReapproval',
  'replaceKeyOnVisit',
  'keyLifetime',
  'tokenLifetime',
  'goneUserAsEmptyArray',
  'rateLimitAnswer',
  'requireUserAgent',
  'contentTypeOptional',
  'reuseToken',
  'looseRequests',
  'oauth2Path',
  'inFolder',
] as const

const isUnseen = (name: string): boolean => UNSEEN.some((unseen) => unseen === name)

const flag = fc.boolean()
const lifetime = fc.integer({ min: 60_000, max: 3_600_000 })

const behaviours: fc.Arbitrary<ProviderBehaviours> = fc.record({
  errorsAtStatus200: flag,
  appendAuthKeyBlindly: flag,
  escapeRedirectAmpersands: flag,
  silentReapproval: flag,
  replaceKeyOnVisit: flag,
  hexCredentials: flag,
  keyLifetime: lifetime,
  tokenLifetime: lifetime,
  reuseToken: flag,
  getOnly: flag,
  getAndPost: flag,
  looseRequests: flag,
  signInFirst: flag,
  oauth2Path: flag,
  inFolder: flag,
  postAnswer: fc.constantFrom('method-not-allowed', 'not-found', 'invalid-app-id'),
  requireUserAgent: flag,
  redirectWithJSONBody: flag,
  htmlAtStatus200: fc.constant(false),
  htmlContentType: flag,
  scriptWarnings: flag,
  sessionCookie: flag,
  withoutUserMe: flag,
  contentTypeOptional: flag,
  wrapUser: fc.constantFrom<ProviderBehaviours['wrapUser'][]>('user_info', 'data', false),
  stringTypes: flag,
  encodeEntities: flag,
  relativePictures: flag,
  blankPictures: flag,
  extraFields: flag,
  goneUserAsEmptyArray: flag,
  rateLimitAnswer: fc.constantFrom('retry-after', 'retry-after-date', 'x-ratelimit', 'bare'),
})

// Pages instead of the API hide everything but the firewall, and no login is tried.
const maintenance: fc.Arbitrary<ProviderBehaviours> = flag.map((requireUserAgent) => ({
  ...specification,
  htmlAtStatus200: true,
  requireUserAgent,
}))

const modes = fc.oneof({ weight: 50, arbitrary: behaviours }, { weight: 1, arbitrary: maintenance })

const people = fc.constantFrom('1', '2', '3', '9007199254740993', '5')

const redirectURLs = fc.constantFrom(
  'http://localhost:3000/cb',
  'http://localhost:3000',
  'http://localhost:3000/cb?a=1',
  'http://localhost:3000/cb?a=1&b=2',
  'http://localhost:3000/cb#top',
)

async function withProvider<T>(
  mode: Partial<ProviderBehaviours>,
  redirectURL: string,
  work: (provider: FakeProvider, application: Application) => Promise<T>,
): Promise<T> {
  const provider = await FakeProvider.start({ mode })
  try {
    const registration = { name: 'App', redirectURL, appID: 'app', appSecret: 'secret-of-the-app' }
    return await work(provider, provider.registerApplication(registration))
  } finally {
    await provider.stop()
  }
}

/** Every request of a login, right and wrong, and its response without what is different each time. */
function transcript(mode: Partial<ProviderBehaviours>, redirectURL: string, userID: string): Promise<string[]> {
  return withProvider(mode, redirectURL, async (provider, application) => {
    const lines: string[] = []
    const secrets = new Map<string, string>()
    const masked = (text: string): string => {
      const own = text.replaceAll(provider.origin, 'ORIGIN')
      return [...secrets].reduce((line, [secret, name]) => line.replaceAll(secret, name), own)
    }
    const log = async (what: string, sent: Promise<Seen>): Promise<Seen> => {
      const seen = await sent
      const headers = ['content-type', 'www-authenticate', 'allow', 'location']
        .map((name) => `${name}=${seen.headers.get(name)}`)
        .join(' ')
      const cookie = /^\w+=/.exec(seen.headers.get('set-cookie') ?? '')?.[0]
      const token = /"access_token":"([^"]+)"/.exec(seen.text)?.[1]
      if (token && !secrets.has(token)) secrets.set(token, `TOKEN${secrets.size}:${shapeOf(token)}`)
      lines.push(masked(`${what}: ${seen.status} ${headers} ${cookie} ${seen.text}`))
      return seen
    }
    const oauth = `${provider.oauthBase}/oauth?app_id=`
    await log('unknown application', ask(`${oauth}nobody`))
    await log('login page', ask(`${oauth}${application.appID}`))
    let token = 'unknown-token'
    for (const method of ['POST', 'GET', 'POST', 'GET']) {
      const callback = await approve(provider, application, userID)
      const key = /auth_key=([^&#]+)/.exec(callback)?.[1] ?? ''
      secrets.set(key, `KEY:${shapeOf(key)}`)
      // As a browser requests it, with a path.
      lines.push(masked(`callback: ${new URL(callback).href}`))
      for (const authKey of ['unknown-key', key, key]) {
        const form = { app_id: application.appID, app_secret: application.appSecret, auth_key: authKey }
        const url = `${provider.oauthBase}/authorize`
        const { text } = await (method === 'POST'
          ? log('exchange by POST', ask(url, { method, body: new URLSearchParams(form) }))
          : log('exchange by GET', ask(`${url}?${new URLSearchParams(form)}`)))
        token = /"access_token":"([^"]+)"/.exec(text)?.[1] ?? token
      }
    }
    for (const bearerToken of ['unknown-token', token]) {
      await log('user/me', ask(`${provider.baseURL}/user/me`, { headers: bearer(bearerToken) }))
      const bare = { authorization: `Bearer ${bearerToken}` }
      await log('user/me without type', ask(`${provider.baseURL}/user/me`, { headers: bare }))
      await log('get_user_info', ask(`${provider.oauthBase}/get_user_info?access_token=${bearerToken}`))
    }
    return lines
  })
}

function shapeOf(credential: string): string {
  return /^[0-9a-f]{32}$/.test(credential) ? 'hexadecimal' : 'base64url'
}

test('a provider in the recorded mode answers every request of a login as the recorded one', async () => {
  const property = fc.asyncProperty(modes, people, redirectURLs, async (mode, userID, redirectURL) => {
    const recorded = await withProvider(mode, redirectURL, async (provider, application) => {
      return { ...(await examineProvider(provider, application, { userID })).mode }
    })
    const unseen = Object.fromEntries(Object.entries(mode).filter(([name]) => isUnseen(name)))
    expect(Object.keys(recorded).filter(isUnseen)).toStrictEqual([])
    const replayed = await transcript({ ...recorded, ...unseen }, redirectURL, userID)
    expect(replayed).toEqual(await transcript(mode, redirectURL, userID))
  })
  await fc.assert(property, runs(60, 5000))
}, 600_000)

test.each([
  ['the specification', specification],
  ['as deployed', asDeployed],
])('%s is recorded as it is, but for what cannot be seen', async (_name, mode) => {
  const redirectURL = 'http://localhost:3000/cb?a=1&b=2'
  // Entities and pictures show in a record that has some.
  const { mode: recorded } = await withProvider(mode, redirectURL, (provider, application) =>
    examineProvider(provider, application, { userID: '3' }),
  )
  const { postAnswer: _, ...seen } = Object.fromEntries(Object.entries(mode).filter(([name]) => !isUnseen(name)))
  expect(recorded).toEqual(seen)
})
