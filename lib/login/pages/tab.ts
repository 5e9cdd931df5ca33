import { escapeUTF8 } from 'entities/escape'
import { type HTTPResponse, relativePath, renderPage } from './page'

/** The query parameter that carries the tab's secret, at the start and at the callback. */
const TAB_PARAMETER = 'social_login_tab'
const TAB_SECRET = /^[0-9a-f]{32}$/

// The page of the start writes this item of sessionStorage, and the page of the callback reads it once. No other tab
// sees it, except one that this tab opens meanwhile: Chromium and WebKit give that tab a copy.
const STORAGE_KEY = 'passport-social-login'

const WITHOUT_SCRIPT = '<noscript><p>Signing in requires JavaScript: enable it and reload the page.</p></noscript>'

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

/** The secret sent with a start; undefined before the tab's page has created one. */
export function tabSecretOfStart(query: URLSearchParams): string | undefined {
  return single(query)?.match(TAB_SECRET)?.[0]
}

/** The secret that the tab's page sends with the callback: empty if it has none; undefined if it was not asked. */
export function tabSecretOfCallback(query: URLSearchParams): string | undefined {
  return query.has(TAB_PARAMETER) ? (single(query) ?? '') : undefined
}

export function removeTabSecret(query: URLSearchParams): void {
  // `delete` is called only where it is needed, because it re-encodes the other parameters, too.
  if (query.has(TAB_PARAMETER)) query.delete(TAB_PARAMETER)
}

/** The page that stores a secret in the tab, then starts the login with it. */
export function tabStartPage(path: string, method: 'GET' | 'POST', providerOrigin: string): HTTPResponse {
  return tabPage(relativePath(path, path), method, START_SCRIPT, providerOrigin)
}

/** The page that sends the key together with the tab's secret, if this is the tab of the start. */
export function tabCallbackPage(authKey: string, providerOrigin: string): HTTPResponse {
  const query = new URLSearchParams({ auth_key: authKey })
  // The form leads to the path that the browser shows, because a proxy may have rewritten it.
  return tabPage(`?${query}`, 'POST', CALLBACK_SCRIPT, providerOrigin)
}

function single(query: URLSearchParams): string | undefined {
  const [value, ...others] = query.getAll(TAB_PARAMETER)
  return others.length === 0 ? value : undefined
}

function tabPage(path: string, method: 'GET' | 'POST', script: string, providerOrigin: string): HTTPResponse {
  const form = `<form method="${method.toLowerCase()}" action="${escapeUTF8(path)}"></form>`
  const main = `<p role="status">Signing you in …</p>\n${WITHOUT_SCRIPT}\n${form}`
  return renderPage({ title: 'Signing in', main, script, providerOrigin })
}
