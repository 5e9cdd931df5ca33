import { isOutcome, type Mark } from '../../errors'
import { invented } from '../endpoints'
import { Probe, ProbeError, type ProbeResponse } from '../probe'
import { kindOf, redirectTarget } from '../response'

const MAX_REQUESTS = 32
const MAX_TIME_MS = 60_000
const STEPS = /^(start|confirm|tab|login|application_error)$/

/** What answered, perhaps not the application. All of it comes from outside. */
export interface Answer extends ProbeResponse {
  /** Undefined also for a word that is none of the login's. */
  readonly mark: Mark | undefined
  readonly location: URL | undefined
  /** The lines of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

export interface Visit {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly method?: 'GET' | 'POST'
  readonly cookie?: string
}

/** The code of the error at the limits of a run. */
export const RUN_ENDED = 'RUN_ENDED'

/** @throws ProbeError without a complete response, or beyond the limits of a run */
export type Ask = (visit: Visit) => Promise<Answer>

/** Asks as browsers do: each time over a new connection, which may reach another process. @param proxied as of Probe */
export function asBrowser(userAgent: string, timeout: number, proxied: boolean): Ask {
  const endsAt = performance.now() + MAX_TIME_MS
  let requests = 0
  return async ({ url, headers, method = 'GET', cookie }) => {
    const remaining = Math.floor(endsAt - performance.now())
    if (remaining < 1) throw new ProbeError('a minute', RUN_ENDED)
    if (++requests > MAX_REQUESTS) throw new ProbeError(`${MAX_REQUESTS} requests`, RUN_ENDED)
    const probe = new Probe(userAgent, Math.min(timeout, remaining), url.origin, proxied)
    try {
      const sent = { method, url, headers: { ...headers, ...(cookie && { cookie }) } }
      const response = await probe.send(method === 'POST' ? { ...sent, form: {} } : sent)
      const { 'social-login': mark, 'set-cookie': cookies = [] } = response.headers
      return {
        ...response,
        mark: isMark(mark) ? mark : undefined,
        location: kindOf(response) === 'redirect' ? redirectTarget(response, url) : undefined,
        // undici gives a single line as a text.
        cookies: [cookies].flat(),
      }
    } finally {
      await probe.close()
    }
  }
}

function isMark(word: unknown): word is Mark {
  return typeof word === 'string' && (STEPS.test(word) || isOutcome(word))
}

export const FOREIGN_PAGE = 'https://elsewhere.example/'

/** The headers of a navigation. @param site undefined for a browser without Fetch Metadata */
export function navigation(site: string | undefined, referer?: string): Record<string, string> {
  return {
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'upgrade-insecure-requests': '1',
    ...(site && { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }),
    ...(referer && { referer }),
  }
}

/** The headers of `fetch` on a page of the application. */
export function script({ origin }: URL): Record<string, string> {
  const metadata = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  return { ...navigation('same-origin', `${origin}/`), ...metadata, accept: '*/*' }
}

export function withParameter(url: URL, name: string, value = invented()): URL {
  const changed = new URL(url)
  changed.searchParams.set(name, value)
  return changed
}

/** A callback with an invented key. */
export const withKey = (callback: URL): URL => withParameter(callback, 'auth_key')
