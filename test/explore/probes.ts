import type { OutcomeCode } from '../../lib'
import { callbackRows, startRows } from '../support/model/rows'
import { canonical } from './canonical'
import type { Configuration } from './configuration'
import { type Process, startPath } from './process'
import type { Probe } from './request-life'
import { type Row, withoutMetadata } from './rows'
import { nameOf, type Run } from './run'
import type { World } from './world'

const CALLBACK = '/auth/honest/callback'
const KEY = `${CALLBACK}?auth_key=probe`
/** The callback's path behind a proxy that strips a prefix. */
const STRIPPED = '/callback'

/** A request that changes nothing, and what it must come to. */
interface RefusedRequest extends Probe {
  readonly due: OutcomeCode | 'page'
}

/** The requests that must be refused in every state: of the recorded tables, and some that no browser sends by itself. */
export function probesOf(configuration: Configuration): readonly RefusedRequest[] {
  const { fetchMetadata } = configuration
  const isSent = ({ headers }: Row): boolean => (headers['sec-fetch-site'] !== undefined) === fetchMetadata
  const callbacks = callbackRows.flatMap((row) =>
    row.verdict === 'genuine' || !isSent(row) ? [] : [{ row, target: KEY, due: row.verdict, canSignIn: true }],
  )
  const starts = startRows.flatMap((row) =>
    row.verdict === 'verified' || row.verdict === 'unverified' || !isSent(row)
      ? []
      : [{ row, target: startPath('honest'), due: row.verdict, canSignIn: true }],
  )
  return [...callbacks, ...starts, ...oddRequests(configuration)]
}

function oddRequests({ fetchMetadata, tabBinding }: Configuration): RefusedRequest[] {
  const row = (name: string, headers: Row['headers']): Row => {
    const sent: Row = { name, method: 'GET', headers, lax: true }
    return fetchMetadata ? sent : withoutMetadata(sent)
  }
  const metadata = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const callback = row('callback', metadata)
  const foreignForm: Row = {
    ...callback,
    method: 'POST',
    headers: { ...callback.headers, origin: 'https://evil.example' },
  }
  const tab = `${KEY}&social_login_tab=${'0'.repeat(32)}`
  const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  const refused: Omit<RefusedRequest, 'canSignIn'>[] = [
    { row: callback, target: CALLBACK, due: 'auth_key_missing' },
    { row: callback, target: `${KEY}&auth_key=other`, due: 'auth_key_malformed' },
    { row: callback, target: startPath('honest') + KEY.slice(CALLBACK.length), due: 'callback_forged' },
    { row: foreignForm, target: tab, due: tabBinding ? 'callback_forged' : 'method_not_allowed' },
    ...(fetchMetadata
      ? [{ row: row('fetch', script), target: startPath('honest'), due: 'navigation_required' } as const]
      : []),
  ]
  const unsupported: RefusedRequest = { row: callback, target: KEY, due: 'session_unsupported', canSignIn: false }
  return [unsupported, ...refused.map((one) => ({ ...one, canSignIn: true }))]
}

/** Sends all of them, and finds out which logins each process takes for used. Nothing may change. */
export async function probe(world: World, probes: readonly RefusedRequest[]): Promise<void> {
  const before = canonical(world)
  const [tab] = world.tabs
  if (!tab) return
  for (const process of world.processes) {
    const sent = [...probes, keyless(world)].map((one) => ({ ...one, run: world.probe(tab, process, one) }))
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
function keyless(world: World): RefusedRequest {
  const [browser] = world.browsers
  const record = browser && world.recordOf(browser, world.sessions.load(browser.session))
  const begun = browser?.loginCookie?.begun ?? (record && world.begun.get(record.id))
  const due = begun?.provider === 'honest' ? 'auth_key_missing' : 'page'
  return { row: world.rows.callback.absent, target: STRIPPED, due, canSignIn: true }
}

/** The used logins that the code remembers are part of the state: they must be those that the world knows. */
async function compareUsed(world: World, process: Process): Promise<void> {
  for (const { provider, record, usedIn } of world.begun.values()) {
    const usedAt = usedIn.get(process)
    if (usedAt !== undefined && world.isOld(usedAt)) continue
    const isUsed = !(await world.isPending(process, provider, record))
    if (isUsed !== (usedAt !== undefined))
      world.judge.fail('a login is not remembered as used, or not forgotten', isUsed)
  }
}
