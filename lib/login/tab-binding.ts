import { escapeUTF8 } from 'entities'
import type { Answer } from '../passport/actions'
import { renderPage } from './pages/page'

/** The query parameter that carries the tab's secret, to the start and back to the callback. */
export const TAB_PARAMETER = 'social_login_tab'

// Written by the start and read once by the callback. No other tab sees this storage, but for one that this tab opens in between
// with an opener: Chromium gives it a copy.
const STORAGE_KEY = 'passport-social-login'

const WITHOUT_SCRIPT = '<noscript><p>Signing in here needs JavaScript: switch it on and reload.</p></noscript>'

const START_SCRIPT = `
const bytes = crypto.getRandomValues(new Uint8Array(16))
const secret = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
sessionStorage.setItem('${STORAGE_KEY}', secret)
const [form] = document.forms
form.action += (form.action.includes('?') ? '&' : '?') + '${TAB_PARAMETER}=' + secret
if (form.method === 'post') form.submit()
else location.replace(form.action)
`

const CALLBACK_SCRIPT = `
history.replaceState(null, '', location.pathname)
const [form] = document.forms
form.action += '&${TAB_PARAMETER}=' + (sessionStorage.getItem('${STORAGE_KEY}') ?? '')
sessionStorage.removeItem('${STORAGE_KEY}')
form.submit()
`

/** Puts a secret into the tab's storage, then starts the login with it. */
export function tabStartPage(target: string, method: 'GET' | 'POST', providerOrigin: string): Answer {
  return tabPage(target, method, START_SCRIPT, providerOrigin)
}

/** Comes back with the key and, if this is the tab of the start, with its secret. */
export function tabCallbackPage(
  callbackPath: string,
  { authKey, state }: { readonly authKey: string; readonly state: string | undefined },
  providerOrigin: string,
): Answer {
  const query = new URLSearchParams({ auth_key: authKey, ...(state !== undefined && { state }) })
  const target = `${callbackPath}?${query}`
  return tabPage(target, 'POST', CALLBACK_SCRIPT, providerOrigin)
}

function tabPage(target: string, method: 'GET' | 'POST', script: string, providerOrigin: string): Answer {
  const form = `<form method="${method.toLowerCase()}" action="${escapeUTF8(target)}"></form>`
  const main = `<p role="status">Signing you in …</p>\n${WITHOUT_SCRIPT}\n${form}`
  return renderPage({ title: 'Signing in', main, script, providerOrigin })
}
