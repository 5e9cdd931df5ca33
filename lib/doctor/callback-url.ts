import type { RecordedMode } from './mode'

const MAX_LENGTH = 4096
const AUTH_KEY = /([?&]|&amp;)auth_key=([^&?#\s]+)/

/**
 * Reads the address to which the browser came back, and records how the provider appended the key where that shows: a
 * registered URL without a query looks the same in any case.
 *
 * @returns the key, and whether an application would find it as a parameter of the query; undefined if there is none
 */
export function readCallbackURL(text: string, mode: RecordedMode) {
  const url = text.trim()
  const [, separator = '', encoded = ''] = AUTH_KEY.exec(url.slice(0, MAX_LENGTH)) ?? []
  if (encoded === '' || !URL.canParse(url)) return undefined
  const before = url.slice(0, url.indexOf(`${separator}auth_key=`))
  if (separator !== '?') mode.appendAuthKeyBlindly = false
  else if (/[?#]/.test(before)) mode.appendAuthKeyBlindly = true
  else if (url.includes('#')) mode.appendAuthKeyBlindly = false
  if (url.includes('&')) mode.escapeRedirectAmpersands = url.includes('&amp;')
  return { authKey: decoded(encoded), isReadable: new URL(url).searchParams.has('auth_key') }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
