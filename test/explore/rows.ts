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
  readonly sent: Readonly<Record<'site' | 'mode' | 'dest' | 'referer' | 'origin' | 'purpose', string>> & {
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

function rowOf({ id, sent }: RecordedRow): Row {
  const headers = {
    'sec-fetch-site': sent.site,
    'sec-fetch-mode': sent.mode,
    'sec-fetch-dest': sent.dest,
    'sec-purpose': sent.purpose,
    referer: sent.referer === 'absent' ? sent.referer : `${ORIGINS[sent.referer]}/login`,
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
export type RowName = StartRowName | 'tab form' | CallbackRowName
export type StartRowName = 'own' | 'planted' | 'typed'
/** By the page that the `Referer` of a request from another site names; or typed, or mailed. */
export type CallbackRowName = 'provider' | 'absent' | 'app' | 'typed'

export type Rows = Readonly<Record<RowName, Row>>

export function rowsOf({ fetchMetadata }: Pick<Configuration, 'fetchMetadata'>): Rows {
  const find = (id: string): Row => {
    const row = recorded.find((one) => one.id === id)
    if (!row) throw new Error(`no row ${id}`)
    return fetchMetadata ? rowOf(row) : withoutMetadata(rowOf(row))
  }
  const own = find('G5 confirmed start')
  return {
    own,
    planted: find('A8 start'),
    typed: find('G5 start'),
    'tab form': { ...own, name: 'form of the tab', method: 'POST', headers: { ...own.headers, origin: APP_ORIGIN } },
    provider: find('G2 link'),
    absent: find('A2'),
    app: find('G3'),
  }
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
