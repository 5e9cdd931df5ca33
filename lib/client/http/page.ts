import { type Phase, SocialLoginError } from '../../errors'

const FIREWALL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 406, 429, 503])

/** What a page with one of these statuses means. */
export const FIREWALL_HINT =
  'The response was a page, not the API: a firewall or bot protection in front of the provider may refuse this machine, by its address or its userAgent.'

/** Whether firewalls and bot protections refuse requests with this status. */
export function isFirewallStatus(status: number): boolean {
  return FIREWALL_STATUSES.has(status)
}

/**
 * Whether the body of a response is HTML for people. Its `Content-Type` does not tell: deployed servers label JSON as
 * `text/html`. PHP may print warnings, in HTML, before the JSON: what ends like JSON is no page.
 */
export function isPage(text: string): boolean {
  const content = text.trim()
  return content.startsWith('<') && !/[}\]]$/.test(content)
}

interface Retry {
  readonly retryable: boolean
  readonly retryAfter?: number
}

/** The outcome of a page with a firewall's status. */
export function firewallPage(phase: Phase, { retryable, retryAfter }: Retry): SocialLoginError {
  const wait = retryAfter === undefined ? {} : { retryAfter }
  return new SocialLoginError('provider_bad_response', phase, { hint: FIREWALL_HINT, retryable, ...wait })
}
