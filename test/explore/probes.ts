import type { OutcomeCode } from '../../lib'
import { canonical } from './canonical'
import type { Configuration } from './configuration'
import { type Process, startPath } from './process'
import type { Probe } from './request-life'
import { APP_ORIGIN, EVIL_ORIGIN, PROVIDER, type Row, refusedRows, withoutMetadata } from './rows'
import { nameOf, type Run } from './run'
import type { World } from './world'

const CALLBACK = '/auth/honest/callback'
const KEY = `${CALLBACK}?auth_key=probe`
/** As the form of the page that asks a tab sends it. */
const WITH_SECRET = `${KEY}&social_login_tab=${'0'.repeat(32)}`
/** The callback's path behind a proxy that strips a prefix. */
const STRIPPED = '/callback'

/** A request that changes nothing, and what it must come to. */
interface RefusedRequest extends Probe {
  readonly due: OutcomeCode | 'page'
}

/** How long after its use a login may be remembered while others are used. */
const KEPT_MS = 40 * 60 * 1000
/** What a navigation from a page of the provider, of the application or of the attacker sends, or one without a page. */
const REFERERS = { provider: `${PROVIDER}/`, app: `${APP_ORIGIN}/login`, foreign: `${EVIL_ORIGIN}/`, absent: undefined }
const SITES = ['cross-site', 'same-site', 'same-origin', 'none']
const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** Their key or their path is wrong. */
const ODD_TARGETS: Readonly<Record<string, OutcomeCode>> = {
  [CALLBACK]: 'auth_key_missing',
  [`${CALLBACK}?auth_key=`]: 'auth_key_missing',
  [`${CALLBACK}?auth_key=&auth_key=other`]: 'auth_key_malformed',
  [`${KEY}&auth_key=other`]: 'auth_key_malformed',
  [`${KEY}%20`]: 'auth_key_malformed',
  [`${CALLBACK}?auth_key[]=probe`]: 'auth_key_malformed',
  [startPath('honest') + KEY.slice(CALLBACK.length)]: 'callback_forged',
}

/** The requests that must be refused in every state. */
export function probesOf(configuration: Configuration): readonly RefusedRequest[] {
  const { fetchMetadata, tabBinding } = configuration
  const request = (row: Row, due: OutcomeCode, target = KEY, canSignIn = true): RefusedRequest => ({
    row: fetchMetadata ? row : withoutMetadata(row),
    target,
    due,
    canSignIn,
  })
  // An old browser does not tell these from what is genuine.
  const recorded = fetchMetadata
    ? [
        ...refusedRows('callback')
          .filter((row) => !isNavigation(row))
          .map((row) => request(row, row.code)),
        ...refusedRows('start').map((row) => request(row, row.code, startPath('honest'))),
        request(SCRIPT, 'navigation_required', startPath('honest')),
        request(navigation('same-origin', REFERERS.app), 'callback_forged', WITH_SECRET),
      ]
    : []
  const forged = navigations(configuration).map((row) => request(row, 'callback_forged'))
  const genuine = navigation('cross-site', undefined)
  const odd = Object.entries(ODD_TARGETS).map(([target, due]) => request(genuine, due, target))
  const forms = formsOfTabs().map((row) =>
    request(row, tabBinding ? 'callback_forged' : 'method_not_allowed', WITH_SECRET),
  )
  const unsupported = request(genuine, 'session_unsupported', KEY, false)
  return [...recorded, ...forged, ...odd, ...forms, unsupported]
}

function navigation(site: string, referer: string | undefined): Row {
  const headers = { 'sec-fetch-site': site, ...NAVIGATION, ...(referer !== undefined && { referer }) }
  return { name: `${site}, Referer ${referer}`, method: 'GET', headers, lax: true }
}

/** By each kind of site with each kind of Referer, except what may come from the provider, or be typed or requested again. */
function navigations({ fetchMetadata }: Configuration): Row[] {
  if (!fetchMetadata) return [navigation('', REFERERS.foreign)]
  const allowed = ['cross-site', 'none']
  return SITES.flatMap((site) =>
    Object.values(REFERERS)
      .filter((referer) => referer === REFERERS.foreign || !allowed.includes(site))
      .map((referer) => navigation(site, referer)),
  )
}

function isNavigation({ method, headers }: Row): boolean {
  const isPage = (headers['sec-fetch-dest'] ?? 'document') === 'document' && headers['accept'] !== '*/*'
  const isSpeculative = ['sec-purpose', 'service-worker-navigation-preload'].some((name) => headers[name] !== undefined)
  return method === 'GET' && isPage && !isSpeculative
}

const SCRIPT: Row = {
  name: 'fetch',
  method: 'GET',
  headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: '*/*' },
  lax: true,
}

/** What is not the form of the page that asks a tab: that of another page, and a request of a script. */
function formsOfTabs(): Row[] {
  const { headers } = navigation('cross-site', undefined)
  const foreign: Row = { name: 'foreign form', method: 'POST', headers: { ...headers, origin: EVIL_ORIGIN }, lax: true }
  return [foreign, { ...SCRIPT, method: 'POST', headers: { ...SCRIPT.headers, origin: APP_ORIGIN } }]
}

/** Sends all of them, and finds out which logins each process takes for used. Nothing may change. */
export async function probe(world: World, probes: readonly RefusedRequest[]): Promise<void> {
  const before = canonical(world)
  const [tab] = world.tabs
  if (!tab) return
  for (const process of world.processes) {
    const sent = [...probes, ...keyless(world)].map((one) => ({ ...one, run: world.probe(tab, process, one) }))
    await world.settle()
    for (const { run, row, due } of sent) check(world, run, `${row.name}, not ${due}`, due)
    await compareUsed(world, process)
  }
  if (canonical(world) !== before) world.judge.fail('a refused request changes something', before)
}

function check(world: World, { outcome }: Run, expected: string, due: string): void {
  const actual = outcome ? nameOf(outcome) : 'nothing'
  world.judge.outcomes.push(`probe: ${actual}`)
  if (actual !== due)
    world.judge.fail('a request that must be refused is not', `${actual} is what becomes of ${expected}`)
}

/** Without the record of the browser, nothing tells a callback without a key from a start. */
function keyless(world: World): RefusedRequest[] {
  // It would be a start.
  if (world.configuration.unverifiedStart === 'allow') return []
  const [browser] = world.browsers
  const record = browser && world.recordOf(browser, world.sessions.load(browser.session))
  const begun = browser?.loginCookie?.begun ?? (record && world.begun.get(record.id))
  const due = begun?.provider === 'honest' ? 'auth_key_missing' : 'page'
  return [{ row: world.rows.absent, target: STRIPPED, due, canSignIn: true }]
}

/** The used logins that the code remembers are part of the state: they must be those that the world knows. */
async function compareUsed(world: World, process: Process): Promise<void> {
  for (const { provider, record, usedIn } of world.begun.values()) {
    const usedAt = usedIn.get(process)
    const isUsed = !(await world.isPending(process, provider, record))
    if (usedAt === undefined || !world.isOld(usedAt)) {
      if (isUsed !== (usedAt !== undefined))
        world.judge.fail('a login is not remembered as used, or not forgotten', isUsed)
    } else if (isUsed && process.usedAt.some((at) => at - usedAt > KEPT_MS))
      world.judge.fail('a used login is kept for ever, although others have followed', usedAt)
  }
}
