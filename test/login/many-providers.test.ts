import { onPhaseEnd, type Provider, type ProviderResult, type TracedPhase } from '../../lib'
import type { RunningApp } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins('all tests')

test('the function is asked once at the start and once at the callback', async () => {
  const asked: string[] = []
  const app = await logins.startApp({
    provider: (community, url) => {
      asked.push(url)
      return community
    },
  })
  expect((await app.logIn()).status).toBe(200)
  expect(asked).toStrictEqual(['/auth', expect.stringMatching(/^\/callback\?auth_key=/)])
})

const nulls = { exchangeMethod: null, profileEndpoint: null, uploadsURL: null }

test.each<[string, (community: Provider) => ProviderResult]>([
  ['a promise', async (community) => community],
  // biome-ignore lint/suspicious/noThenProperty: query builders are thenables
  ['a thenable', (community) => ({ then: (resolve) => Promise.resolve(community).then(resolve) })],
  [
    'a record of a database, with nulls and further members',
    (community) => ({ ...community, ...nulls, ...{ owner: 7n } }),
  ],
])('it may return %s', async (_, answer) => {
  const app = await logins.startApp({ provider: answer })
  expect((await app.logIn()).status).toBe(200)
})

test.each(['session', 'web'] as const)('the provider of a profile is the name of its community (%s)', async (keep) => {
  const app = await logins.startApp({ keep, provider: (community) => ({ ...community, name: 'chess-club' }) })
  await app.logIn()
  expect(app.profiles).toStrictEqual([expect.objectContaining({ provider: 'chess-club', id: '1' })])
})

test('a community with other credentials is used at once, and a new secret does not end a login', async () => {
  let secret: string | undefined
  const app = await logins.startApp({
    provider: (community) => ({ ...community, clientSecret: secret ?? community.clientSecret }),
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  secret = 'wrong'
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(401)
  await browser.follow(app.loginURL)
  secret = undefined
  expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
})

async function phasesOf(work: () => Promise<unknown>): Promise<TracedPhase[]> {
  const phases: TracedPhase[] = []
  const add = (phase: TracedPhase): void => void phases.push({ ...phase })
  const ends = [onPhaseEnd('start', add), onPhaseEnd('callback', add), onPhaseEnd('exchange', add)]
  await work()
  for (const end of ends) end()
  return phases
}

test('diagnostics name the community, as far as it is known', async () => {
  const app = await logins.startApp({
    provider: (community, url) => (url.includes('gone') ? undefined : { ...community, name: 'chess' }),
  })
  const phases = await phasesOf(async () => {
    await app.logIn()
    await new Browser().follow(`${app.loginURL}?gone`)
  })
  const strategy = 'social-login'
  expect(phases).toStrictEqual([
    expect.objectContaining({ strategy, phase: 'start', provider: 'chess' }),
    expect.objectContaining({ strategy, phase: 'exchange', provider: 'chess' }),
    expect.objectContaining({ strategy, phase: 'callback', provider: 'chess' }),
    expect.objectContaining({ strategy, phase: 'start', code: 'provider_unknown' }),
  ])
  expect(phases[3]).not.toHaveProperty('provider')
})

test('with one community, diagnostics name none', async () => {
  const app = await logins.startApp()
  for (const phase of await phasesOf(() => app.logIn())) expect(phase).not.toHaveProperty('provider')
})

test('the login that a browser has begun is told at its community alone', async () => {
  const app: RunningApp = await logins.startApp({
    provider: (community, url) => ({
      ...community,
      ...(url === '/other' && { name: 'other', callbackURL: 'https://b.example/cb' }),
    }),
    before: (express) =>
      express.get(['/same', '/other'], async (req, res) => res.json((await app.strategy.pendingLogin(req)) ?? null)),
  })
  const browser = new Browser()
  await browser.follow(app.loginURL)
  const pendingAt = async (path: string): Promise<unknown> =>
    JSON.parse((await browser.follow(`${app.origin}${path}`)).body)
  expect(await pendingAt('/same')).toMatchObject({ startedAt: expect.any(String) })
  expect(await pendingAt('/other')).toBeNull()
})

test('a strategy for many communities cannot load the profile of a token, whose community is not known', async () => {
  const app = await logins.startApp({ provider: true })
  const error = await new Promise((resolve) => app.strategy.userProfile('token', resolve))
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain('userProfile() cannot know the provider of a token')
})

test.each(['session', 'web'] as const)(
  'a callbackURL that one call gives is refused if it is that of another provider, by the code of a record (%s)',
  async (keep) => {
    const origin = 'https://shared.example'
    const find = (community: Provider, url: string): ProviderResult =>
      url.includes('?other') ? { ...community, name: 'other', callbackURL: `${origin}/cb` } : community
    const first = await logins.startApp({ keep, provider: find })
    expect((await new Browser().follow(`${first.loginURL}?other`)).status).toBe(302)
    // The danger: the keys of the other provider come to this callback, and would be sent to this provider.
    const app = await logins.startApp({ keep, provider: find, start: { callbackURL: `${origin}/cb/` } })
    expect((await new Browser().follow(app.loginURL)).status).toBe(302)
    const refused = await new Browser().follow(`${app.loginURL}?other`)
    expect([refused.status, refused.body]).toStrictEqual([500, expect.stringContaining('is that of another provider')])
  },
)

test.each(['https://localhost:9/cb/', 'https://localhost.:9/cb', 'http://localhost:9/cb'])(
  'a callback is that of another provider however it is written: %s',
  async (callbackURL) => {
    const find = (community: Provider, url: string): ProviderResult =>
      url.includes('?other')
        ? { ...community, name: 'other', callbackURL: 'https://localhost:9/cb' }
        : { ...community, callbackURL }
    const app = await logins.startApp({ provider: find })
    expect((await new Browser().follow(app.loginURL)).status).toBe(302)
    const refused = await new Browser().follow(`${app.loginURL}?other`)
    expect([refused.status, refused.body]).toStrictEqual([500, expect.stringContaining('is that of another provider')])
  },
)
