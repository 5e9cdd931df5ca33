import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { openOrigin, startManyProvidersApp } from '../../support/many-providers-app'
import { inParallel } from '../../support/parallel'

const COMMUNITIES = 1200
const AT_ONCE = 50

const logins = useLogins('each test', { users: Array.from({ length: COMMUNITIES }, () => ({})), rateLimit: 100_000 })

test(`logins at ${COMMUNITIES} communities that were all begun before the first came back end well, each at its own`, async () => {
  const origins = await Promise.all(Array.from({ length: 20 }, () => openOrigin(logins)))
  // Fewer pools than origins: their connections are closed and opened again meanwhile.
  const app = await startManyProvidersApp(
    logins,
    (community) => `${origins[Number(community) % origins.length]?.origin}/api/v1`,
    {
      maxPools: 10,
    },
  )
  const browsers = Array.from({ length: COMMUNITIES }, () => new Browser())
  const begin = async (community: number): Promise<void> => {
    expect((await app.begin(browsers[community] ?? new Browser(), String(community))).status).toBe(302)
  }
  await inParallel(COMMUNITIES, AT_ONCE, begin)
  const answers = new Map<number, unknown>()
  await inParallel(COMMUNITIES, AT_ONCE, async (community) => {
    const userID = logins.provider.users[community]?.user_id
    const { body } = await app.end(browsers[community] ?? new Browser(), String(community), userID)
    answers.set(community, body === JSON.stringify({ id: userID, provider: String(community) }) || body)
  })
  expect(new Set(answers.values())).toEqual(new Set([true]))
  expect(logins.exchanges()).toBe(COMMUNITIES)
}, 60_000)
