import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { inParallel } from '../../support/parallel'
import { openOrigin, startSitesApp } from '../../support/sites-app'

const SITES = 1200
const AT_ONCE = 50

const logins = useLogins('each test', { users: Array.from({ length: SITES }, () => ({})), rateLimit: 100_000 })

test(`logins at ${SITES} sites that were all begun before the first came back end well, each at its own`, async () => {
  const origins = await Promise.all(Array.from({ length: 20 }, () => openOrigin(logins)))
  // Fewer pools than origins: their connections are closed and opened again meanwhile.
  const app = await startSitesApp(logins, (site) => `${origins[Number(site) % origins.length]?.origin}/api/v1`, {
    maxPools: 10,
  })
  const browsers = Array.from({ length: SITES }, () => new Browser())
  const begin = async (site: number): Promise<void> => {
    expect((await app.begin(browsers[site] ?? new Browser(), String(site))).status).toBe(302)
  }
  await inParallel(SITES, AT_ONCE, begin)
  const answers = new Map<number, unknown>()
  await inParallel(SITES, AT_ONCE, async (site) => {
    const userID = logins.provider.users[site]?.user_id
    const { body } = await app.end(browsers[site] ?? new Browser(), String(site), userID)
    answers.set(site, body === JSON.stringify({ id: userID, site: String(site) }) || body)
  })
  expect(new Set(answers.values())).toEqual(new Set([true]))
  expect(logins.exchanges()).toBe(SITES)
}, 60_000)
