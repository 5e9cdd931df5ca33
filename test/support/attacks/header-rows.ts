import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTS } from '../browsers/sites'
import type { Visit } from './target-app'

/** A request's headers, without parts that differ between runs. */
export interface SentHeaders {
  readonly method: string
  readonly site: string
  readonly mode: string
  readonly dest: string
  /** The host's first label in the Referer, or `absent`. */
  readonly referer: string
  /** The same of the Origin header; `null` where the browser hides it. */
  readonly origin: string
  /** `Sec-Purpose`, `preload for a worker`, or `absent`. */
  readonly purpose: string
  /** Whether it accepts a page: `page`, `other` or `absent`. */
  readonly accept: string
  /** Which of the five probe cookies were sent. */
  readonly cookies: readonly string[]
}

/** Where an engine differs; null where it does not send the request. */
type Column = (Partial<SentHeaders> & { readonly verdict?: string }) | null

/** The engines in which the rows were recorded. */
export const ENGINES = ['chromium', 'firefox', 'webkit'] as const
export type Engine = (typeof ENGINES)[number]

/** A request of a real browser, as recorded in test/fixtures/browser-headers.json. */
export interface HeaderRow {
  readonly id: string
  readonly scenario: string
  /** Which request of the scenario the row is about. */
  readonly request: 'start' | 'callback'
  /** Whether a login is pending in the browser. */
  readonly pending: boolean
  /** The application that the browser was recorded at. Default: ours. */
  readonly at?: 'naive'
  readonly strategy?: { readonly unverifiedStart?: 'allow' }
  /** By Chromium, or by the only engine that sends the request. */
  readonly sent: SentHeaders
  /** Null where Chromium does not send the request. */
  readonly chromium?: null
  readonly firefox?: Column
  readonly webkit?: Column
  /**
   * How our strategy handles the request: `accepted`, `started`, `confirm page`, or a code of the table of outcomes.
   */
  readonly verdict: string
}

const FILE = join(__dirname, '../../../../test/fixtures/browser-headers.json')

/** The rows, in the order of the file. */
const headerRows: readonly HeaderRow[] = JSON.parse(readFileSync(FILE, 'utf8')).rows

/** The rows that an engine produces, with its headers and their verdicts. */
export function rowsOf(engine: Engine): HeaderRow[] {
  return headerRows.flatMap((row) => {
    const { [engine]: column = {} } = row
    if (column === null) return []
    const { verdict = row.verdict, ...differing } = column
    return [{ ...row, sent: { ...row.sent, ...differing }, verdict }]
  })
}

/** The probe cookies by the way they are set. */
export const PROBES: Readonly<Record<string, string>> = {
  bare: 'probe-bare=1; Path=/; Secure',
  host: '__Host-probe=1; Path=/; Secure; SameSite=Lax',
  lax: 'probe-lax=1; Path=/; Secure; SameSite=Lax',
  none: 'probe-none=1; Path=/; Secure; SameSite=None',
  strict: 'probe-strict=1; Path=/; Secure; SameSite=Strict',
}

/** The headers that the browser sent with a visit. */
export function sentWith({ method, headers }: Pick<Visit, 'method' | 'headers'>): SentHeaders {
  const text = (name: string): string => String(headers[name] ?? 'absent')
  const cookies = String(headers.cookie ?? '')
  return {
    method,
    site: text('sec-fetch-site'),
    mode: text('sec-fetch-mode'),
    dest: text('sec-fetch-dest'),
    referer: labelOf(text('referer')),
    origin: labelOf(text('origin')),
    purpose: headers['service-worker-navigation-preload'] === undefined ? text('sec-purpose') : 'preload for a worker',
    accept: headers.accept === undefined ? 'absent' : headers.accept.includes('text/html') ? 'page' : 'other',
    cookies: Object.keys(PROBES).filter((name) => cookies.includes(`${PROBES[name]?.split('=', 1)}=`)),
  }
}

function labelOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { hostname, pathname } = new URL(url)
  const known = HOSTS.find((host) => host === hostname)
  if (known === undefined) return `unknown: ${url}`
  // A cross-site Referer is an origin by default; anything more would leak a path.
  return known.split('.test', 1).join() + (known === 'app.test' || pathname === '/' ? '' : ' with a path')
}
