import { createTarget, type Target, type TargetOptions } from '../support/attacks/target-app'
import type { Browser, BrowserRequest } from '../support/browser'
import { listen } from '../support/listen'

/** A target that listens on plain http at localhost. */
export interface HTTPTarget extends Target {
  /** The user signed in in the browser, or null. The headers are sent with the request. */
  userOf(browser: Browser, headers?: Record<string, string>): Promise<string | null>
  stop(): Promise<void>
}

/** Starts the application under attack. */
export async function startTarget(options: Omit<TargetOptions, 'origin'>): Promise<HTTPTarget> {
  const { server, origin, stop } = await listen()
  const target = createTarget({ ...options, origin })
  server.on('request', target.app)
  const userOf: HTTPTarget['userOf'] = async (browser, headers = {}) =>
    JSON.parse((await browser.follow(`${origin}/me`, { headers })).body).user
  return { ...target, userOf, stop }
}

/** Origin of the attacker's page. */
export const EVIL = 'https://evil.example'

/** The headers of a request that another site's page caused (recorded in browser-headers.json). */
export function fromEvil(mode: string, dest: string, request: BrowserRequest = {}): BrowserRequest {
  const metadata = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
  return { ...request, headers: { ...metadata, referer: `${EVIL}/`, ...request.headers } }
}

/** A link or a script of an evil page that navigates the whole tab. */
export const evilNavigation = fromEvil('navigate', 'document')
