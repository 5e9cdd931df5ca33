import type { ProviderBehaviours } from '../behaviours'

/** Section 4.1: the registered redirect URL with `auth_key` appended to its query, or as deployed servers append it. */
export function redirectURLWith(authKey: string, redirectURL: string, behaviours: ProviderBehaviours): string {
  const whole = behaviours.appendAuthKeyBlindly
    ? `${redirectURL}?auth_key=${authKey}`
    : appended(redirectURL, `auth_key=${encodeURIComponent(authKey)}`)
  return behaviours.escapeRedirectAmpersands ? whole.replaceAll('&', '&amp;') : whole
}

function appended(redirectURL: string, parameter: string): string {
  const url = new URL(redirectURL)
  // Not searchParams, which would re-encode the application's own parameters.
  url.search = url.search === '' ? parameter : `${url.search}&${parameter}`
  return url.href
}
