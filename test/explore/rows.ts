import { APP, type CallbackRow, callbackRows, PROVIDER, startRows } from '../support/model/rows'
import type { Configuration } from './configuration'

/** What of a row is sent. */
export type Row = Pick<CallbackRow, 'name' | 'method' | 'headers' | 'lax'>

/** Whose page the `Referer` of an acceptable callback names: the rows differ in nothing else that is looked at. */
export type Referer = 'provider' | 'absent' | 'app'

/** A row that must be refused, and as what. */
export interface RefusedRow extends Row {
  readonly code: string
}

/** The rows of the recorded tables, by what can come of them. */
export interface Rows {
  readonly ownLink: Row
  readonly planted: Row
  readonly tabForm: Row
  readonly callback: Readonly<Record<Referer, Row>>
  readonly refusedCallbacks: readonly RefusedRow[]
  readonly refusedStarts: readonly RefusedRow[]
}

export const APP_ORIGIN = 'https://app.example'

export function rowsOf({ fetchMetadata }: Pick<Configuration, 'fetchMetadata'>): Rows {
  const find = (rows: readonly Row[], name: string): Row => {
    const row = rows.find((one) => one.name === name)
    if (!row) throw new Error(`no row ${name}`)
    return fetchMetadata ? row : withoutMetadata(row)
  }
  const ownLink = find(startRows, 'own link')
  return {
    ownLink,
    planted: find(startRows, 'A8 evil link'),
    tabForm: { ...find(startRows, 'own form'), name: 'form of the tab' },
    callback: {
      provider: find(callbackRows, 'G2 link or script at the provider'),
      absent: find(callbackRows, 'A2 evil link without Referer, like G7'),
      app: find(callbackRows, 'G3 silent approval'),
    },
    refusedCallbacks: callbackRows.flatMap((row) => refused(row, row.verdict, 'genuine', fetchMetadata)),
    refusedStarts: startRows.flatMap((row) =>
      row.verdict === 'verified' || row.verdict === 'unverified' ? [] : refused(row, row.verdict, '', fetchMetadata),
    ),
  }
}

/** Without Fetch Metadata only the rows of old browsers tell what is refused. */
function refused(row: Row, code: string, accepted: string, fetchMetadata: boolean): RefusedRow[] {
  const isOld = row.headers['sec-fetch-site'] === undefined
  return code === accepted || isOld === fetchMetadata ? [] : [{ ...row, code }]
}

function withoutMetadata(row: Row): Row {
  const headers = Object.entries(row.headers).filter(([name]) => !name.startsWith('sec-fetch-'))
  return { ...row, headers: Object.fromEntries(headers) }
}

/** The headers as they are sent. */
export function headersOf({ headers }: Row, providerOrigin: string): Record<string, string> {
  const named = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    value.replace(APP, APP_ORIGIN).replace(PROVIDER, providerOrigin),
  ])
  return { host: 'app.example', ...Object.fromEntries(named) }
}
