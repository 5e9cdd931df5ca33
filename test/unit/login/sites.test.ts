import type { Site, SiteAnswer } from '../../../lib'
import { readCommonSettings } from '../../../lib/login/settings'
import type { SiteSettings } from '../../../lib/login/site'
import { ManySites } from '../../../lib/login/sites'
import { rejectionOf } from '../../support/leak-check'

// As in sites.ts.
const MAX_SITES = 1000

const newSites = (timeout?: number): ManySites => {
  const callbackURL = 'https://app.example/:site/callback'
  const { sites } = readCommonSettings({ site: () => undefined, callbackURL, timeout })
  if (sites instanceof ManySites) return sites
  throw new Error('these are the settings of one site')
}

const siteOf = (name: string | number): Site => ({
  name: `site ${name}`,
  baseURL: `https://social-${name}.example/api/v1`,
  clientID: 'id',
  clientSecret: 'secret',
})

const find = (sites: ManySites, answer: SiteAnswer): Promise<SiteSettings> => sites.find(() => answer, 'start')

async function findMany(sites: ManySites, kind: string, count: number): Promise<SiteSettings[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => find(sites, siteOf(`${kind}-${index}`))))
}

test('the settings of a site are kept while fewer than 1,000 others are used, and are made again after that', async () => {
  const sites = newSites()
  const first = await find(sites, siteOf('first'))
  await findMany(sites, 'other', MAX_SITES - 1)
  expect(await find(sites, siteOf('first'))).toBe(first)
  await findMany(sites, 'further', MAX_SITES)
  const again = await find(sites, siteOf('first'))
  expect(again).not.toBe(first)
  expect(again.strategyDigest).toBe(first.strategyDigest)
})

test('a site with a login under way is not forgotten: its limit counts that login', async () => {
  const sites = newSites()
  const first = await find(sites, siteOf('first'))
  first.slots.tryAcquire()
  await findMany(sites, 'other', 2 * MAX_SITES)
  expect(await find(sites, siteOf('first'))).toBe(first)
})

test('a site that comes while 1,000 others have logins under way keeps its settings', async () => {
  const sites = newSites()
  for (const { slots } of await findMany(sites, 'hanging', MAX_SITES)) slots.tryAcquire()
  const newest = await find(sites, siteOf('newest'))
  expect(await find(sites, siteOf('newest'))).toBe(newest)
})

test('after a peak of logins at 2,000 sites, the oldest settings are forgotten', async () => {
  const sites = newSites()
  const peak: SiteSettings[] = []
  for (let index = 0; index < 2 * MAX_SITES; index += 1) {
    const settings = await find(sites, siteOf(`peak-${index}`))
    settings.slots.tryAcquire()
    peak.push(settings)
  }
  for (const { slots } of peak) slots.release()
  await find(sites, siteOf('next'))
  expect(await find(sites, siteOf('peak-1500'))).toBe(peak[1500])
  expect(await find(sites, siteOf('peak-500'))).not.toBe(peak[500])
})

test('close waits for the logins of all sites; a site that comes later has no slot', async () => {
  const sites = newSites()
  const [first, second] = [await find(sites, siteOf('first')), await find(sites, siteOf('second'))]
  for (const { slots } of [first, second]) slots.tryAcquire()
  let isClosed = false
  const closing = sites.close().then(() => {
    isClosed = true
  })
  first.slots.release()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isClosed).toBe(false)
  const late = await find(sites, siteOf('late'))
  expect([first, second, late].map(({ slots }) => slots.tryAcquire())).toEqual([false, false, false])
  second.slots.release()
  await closing
})

test.each([
  ['in capitals', 'https://APP.example/callback'],
  ['with the default port', 'https://app.example:443/callback'],
  ['with dots in its path', 'https://app.example/auth/../callback'],
  ['with a query', 'https://app.example/callback?site=second'],
  ['with a slash at its end', 'https://app.example/callback/'],
  ['with capitals in its path', 'https://app.example/Callback'],
])('the callback of another site is refused, also when it is written %s', async (_title, callbackURL) => {
  const sites = newSites()
  await find(sites, { ...siteOf('first'), callbackURL: 'https://app.example/callback' })
  const error = await rejectionOf(find(sites, { ...siteOf('second'), callbackURL }))
  expect(error).toMatchObject({ code: 'site_invalid', message: expect.stringContaining('callbackURL') })
})

test('a callback in several spellings, as the Host header may have, shares the limit of its site', async () => {
  const sites = newSites()
  const spell = (host: string): Promise<SiteSettings> =>
    find(sites, { ...siteOf('first'), callbackURL: `https://${host}/callback` })
  expect(await spell('APP.example')).toBe(await spell('app.EXAMPLE:443'))
})

test('a TypeError of a getter of the record, which may quote a secret, is passed on, and made no hint', async () => {
  const own = new TypeError('Received type string (a secret)')
  const record = Object.defineProperty(siteOf('first'), 'clientSecret', {
    get: () => {
      throw own
    },
  })
  expect(await rejectionOf(find(newSites(), record))).toBe(own)
})

test('a timeout of the application’s own search is passed on; one of our own is site_timeout', async () => {
  const own = AbortSignal.abort(new DOMException('The database did not answer.', 'TimeoutError')).reason
  expect(await rejectionOf(find(newSites(), Promise.reject(own)))).toBe(own)
  expect(await rejectionOf(find(newSites(10), new Promise(() => {})))).toMatchObject({ code: 'site_timeout' })
})
