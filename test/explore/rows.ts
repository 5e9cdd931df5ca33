import type { Configuration } from './configuration'
import { APP, type CallbackRow, callbackRows, PROVIDER, startRows } from './recorded-rows'

/** What of a row is sent. */
export type Row = Pick<CallbackRow, 'name' | 'method' | 'headers' | 'lax'>

/** The rows of the recorded tables from which something can come, by what caused the request. */
export type RowName = StartRowName | 'tab form' | CallbackRowName
export type StartRowName = 'own' | 'planted' | 'typed'
/** By the page that the `Referer` of a request from another site names; or typed, or mailed. */
export type CallbackRowName = 'provider' | 'absent' | 'app' | 'typed'

export type Rows = Readonly<Record<RowName, Row>>

export const APP_ORIGIN = 'https://app.example'

export function rowsOf({ fetchMetadata }: Pick<Configuration, 'fetchMetadata'>): Rows {
  const find = (rows: readonly Row[], name: string): Row => {
    const row = rows.find((one) => one.name === name)
    if (!row) throw new Error(`no row ${name}`)
    return fetchMetadata ? row : withoutMetadata(row)
  }
  return {
    own: find(startRows, 'own link'),
    planted: find(startRows, 'A8 evil link'),
    typed: find(startRows, 'typed'),
    'tab form': { ...find(startRows, 'own form'), name: 'form of the tab' },
    provider: find(callbackRows, 'G2 link or script at the provider'),
    absent: find(callbackRows, 'A2 evil link without Referer, like G7'),
    app: find(callbackRows, 'G3 silent approval'),
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
