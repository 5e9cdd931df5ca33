import { APP, type CallbackRow, callbackRows, PROVIDER, startRows } from '../support/model/rows'
import type { Configuration } from './configuration'

/** What of a row is sent. */
export type Row = Pick<CallbackRow, 'name' | 'method' | 'headers' | 'lax'>

/** Whose page the `Referer` of an acceptable callback names: the rows differ in nothing else that is looked at. */
export type Referer = 'provider' | 'absent' | 'app'

/** The rows of the recorded tables, by what can come of them. */
export interface Rows {
  readonly ownLink: Row
  readonly planted: Row
  readonly tabForm: Row
  readonly callback: Readonly<Record<Referer, Row>>
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
  }
}

export function withoutMetadata(row: Row): Row {
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
