import { onPhaseEnd, type TracedPhase } from '../../lib'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins('all tests')

/** What a login with this `returnTo` brings back, and what is told of one that was left out. */
async function logInWith(keep: 'session' | 'web', returnTo: string, strategy: object = {}) {
  const app = await logins.startApp({ keep, strategy, start: { returnTo } })
  const starts: TracedPhase[] = []
  const unsubscribe = onPhaseEnd('start', (message) => void starts.push(message))
  const answer = await app.logIn(new Browser())
  unsubscribe()
  return { returnTo: JSON.parse(answer.body).info.returnTo, dropped: starts[0]?.droppedReturnTo, app }
}

describe.each(['session', 'web'] as const)('a returnTo (%s)', (keep) => {
  test.each([
    ['/inbox?a=1#top', '/inbox?a=1#top'],
    ['https://app.example/inbox?a=1#top', '/inbox?a=1#top'],
    ['HTTPS://APP.example:443/inbox', '/inbox'],
    ['https://app.example', '/'],
  ])('that is %s, a path or a URL of the application, is the path %s', async (given, path) => {
    const callbackURL = 'https://app.example/callback'
    expect(await logInWith(keep, given, { callbackURL })).toMatchObject({ returnTo: path, dropped: undefined })
  })

  test.each([
    ['inbox', 'no slash'],
    ['?a=1', 'no slash'],
    ['https://evil.example/inbox', 'another origin'],
    ['http://app.example/inbox', 'another origin'],
    ['https://app.example.evil.example/', 'another origin'],
    ['https://app.example@evil.example/', 'another origin'],
    ['https://app.example//evil.example/', 'another origin'],
    ['//evil.example', 'another origin'],
    ['/\\evil.example', 'another origin'],
    ['javascript:alert(1)', 'another origin'],
    [`/${'a'.repeat(1024)}`, 'too long'],
    [`/${'é'.repeat(200)}`, 'too long'],
  ])('that is %s is left out, and the tracing message says why: %s', async (given, why) => {
    const callbackURL = 'https://app.example/callback'
    expect(await logInWith(keep, given, { callbackURL })).toMatchObject({ returnTo: undefined, dropped: why })
  })

  test('that is not there is not told of', async () => {
    expect(await logInWith(keep, '')).toMatchObject({ returnTo: undefined, dropped: undefined })
  })
})

test('a URL of the application is known by Host where callbackURL is only a path', async () => {
  const app = await logins.startApp({
    strategy: { callbackURL: '/callback' },
    start: { returnTo: 'http://x.example/inbox' },
  })
  const browser = new Browser({ host: 'x.example' })
  expect(JSON.parse((await app.logIn(browser)).body).info.returnTo).toBe('/inbox')
})
