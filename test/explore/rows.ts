import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTCOMES, type OutcomeCode } from '../../lib'
import type { Configuration } from './configuration'

/** What a browser sends in one situation. */
export interface Row {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** Whether cookies with SameSite=Lax travel along. */
  readonly lax: boolean
}

/** A request of a real browser, as in test/fixtures/browser-headers.json. */
interface RecordedRow {
  readonly id: string
  readonly request: 'start' | 'callback'
  readonly strategy?: object
  readonly sent: Readonly<Record<'site' | 'mode' | 'dest' | 'referer' | 'origin' | 'purpose' | 'accept', string>> & {
    readonly method: Row['method']
    readonly cookies: readonly string[]
  }
  readonly verdict: string
}

const FILE = join(__dirname, '../../../test/fixtures/browser-headers.json')
const recorded: readonly RecordedRow[] = JSON.parse(readFileSync(FILE, 'utf8')).rows

export const APP_ORIGIN = 'https://app.example'
export const EVIL_ORIGIN = 'https://evil.example'
/** Placeholder for the provider's origin in a header. */
export const PROVIDER = 'PROVIDER'
const ORIGINS: Readonly<Record<string, string>> = { app: APP_ORIGIN, evil: EVIL_ORIGIN, provider: PROVIDER }

const ACCEPTS: Readonly<Record<string, string>> = { page: 'text/html,*/*;q=0.8', other: '*/*' }

function rowOf({ id, sent }: RecordedRow): Row {
  const isPreload = sent.purpose === 'preload for a worker'
  const headers = {
    'sec-fetch-site': sent.site,
    'sec-fetch-mode': sent.mode,
    'sec-fetch-dest': sent.dest,
    'sec-purpose': isPreload ? 'absent' : sent.purpose,
    'service-worker-navigation-preload': isPreload ? 'true' : 'absent',
    accept: ACCEPTS[sent.accept] ?? sent.accept,
    referer: ORIGINS[sent.referer] === undefined ? sent.referer : `${ORIGINS[sent.referer]}/login`,
    origin: ORIGINS[sent.origin] ?? sent.origin,
  }
  const present = Object.entries(headers).filter(([, value]) => value !== 'absent')
  return { name: id, method: sent.method, headers: Object.fromEntries(present), lax: sent.cookies.includes('lax') }
}

/** The recorded requests that are refused, with their codes. */
export function refusedRows(request: RecordedRow['request']): readonly (Row & { readonly code: OutcomeCode })[] {
  return recorded.flatMap((row) => {
    const code = Object.keys(OUTCOMES).find((name): name is OutcomeCode => name === row.verdict)
    // Without a login that waits, a callback is refused for another reason.
    const isOfRequest = row.request === request && code !== 'login_not_started' && row.strategy === undefined
    return isOfRequest && code !== undefined ? [{ ...rowOf(row), code }] : []
  })
}

/** From what something can come, by what caused the request. */
export type RowName = StartRowName | 'tab form' | CallbackRowName | AgainRowName
export type StartRowName = 'own' | 'planted' | 'typed'
/** By the page that the `Referer` of a request from another site names; or typed, or mailed. */
export type CallbackRowName = 'provider' | 'absent' | 'app' | 'typed'
/** By what WebKit requests again by a reload, Back or Forward: a callback as `none`, a form as `cross-site`. */
export type AgainRowName = 'provider again' | 'app again' | 'tab form again'

export type Rows = Readonly<Record<RowName, Row>>

export function rowsOf({ fetchMetadata }: Pick<Configuration, 'fetchMetadata'>): Rows {
  const find = (id: string): Row => {
    const row = recorded.find((one) => one.id === id)
    if (!row) throw new Error(`no row ${id}`)
    return fetchMetadata ? rowOf(row) : withoutMetadata(rowOf(row))
  }
  const own = find('G5 confirmed start')
  const tabForm: Row = {
    ...own,
    name: 'form of the tab',
    method: 'POST',
    headers: { ...own.headers, origin: APP_ORIGIN },
  }
  const [provider, app] = [find('G2 link'), find('G3')]
  return {
    own,
    planted: find('A8 start'),
    typed: find('G5 start'),
    'tab form': tabForm,
    'tab form again': fromSite('cross-site', tabForm),
    provider,
    'provider again': fromSite('none', provider),
    absent: find('A2'),
    app,
    'app again': fromSite('none', app),
  }
}

const AGAIN: Readonly<Partial<Record<RowName, RowName>>> = {
  provider: 'provider again',
  app: 'app again',
  // As if it were typed.
  absent: 'typed',
  'tab form': 'tab form again',
}

/** What a callback comes from if WebKit requests it again. */
export const againOf = (row: RowName): RowName => AGAIN[row] ?? row

function fromSite(site: string, row: Row): Row {
  if (row.headers['sec-fetch-site'] === undefined) return row
  return { ...row, name: `${row.name}, again`, headers: { ...row.headers, 'sec-fetch-site': site } }
}

export function withoutMetadata(row: Row): Row {
  const headers = Object.entries(row.headers).filter(([name]) => !name.startsWith('sec-fetch-'))
  return { ...row, headers: Object.fromEntries(headers) }
}

/** The headers as they are sent. */
export function headersOf({ headers }: Row, providerOrigin: string): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]) => [name, value.replace(PROVIDER, providerOrigin)])
  return { host: 'app.example', ...Object.fromEntries(named) }
}
