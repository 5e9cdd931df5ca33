import { hash, randomBytes } from 'node:crypto'
import { escapeUTF8 } from 'entities/escape'
import { AFTER_TAB_LOGIN_MS } from '../../limits'
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

// Under `tabBinding`, our own form sends the callback, so browsers call its redirects same-origin, even one to a start
// that a foreign link chose as `returnTo`. These cookies of the callback tell every start that follows within
// `AFTER_TAB_LOGIN_MS`, of any strategy, store and process, that perhaps nobody has clicked.
const COOKIE_NAME = 'social-login-tab'
const HOST_COOKIE_NAME = `__Host-${COOKIE_NAME}`
const COOKIES = new RegExp(`(?:^|;)[ \\t]*(${HOST_COOKIE_NAME}|${COOKIE_NAME})=([^;]*)`, 'g')

interface AppOrigin {
  readonly appOrigin: string | undefined
}

/** Values of `Set-Cookie` for the response to a callback that a tab's form has sent. */
export function tabCookies(app: AppOrigin): string[] {
  const rest = `=${randomBytes(16).toString('base64url')}; Max-Age=${AFTER_TAB_LOGIN_MS / 1000}; Path=/; HttpOnly; SameSite=Lax`
  return [`${HOST_COOKIE_NAME}${rest}; Secure`, ...(isSecure(app) ? [] : [COOKIE_NAME + rest])]
}

/**
 * What a start that may follow the callback of a tab at once must carry, to show that a person has confirmed it; undefined
 * if it follows none. No link can know the value. Whoever plants the cookie gains a confirm page: all values count, because
 * by plain http, and in browsers that do not enforce the prefix, a planted one may come before the genuine one.
 */
export function confirmationAfterTab(header = '', app: AppOrigin): string | undefined {
  const cookies = Array.from(header.matchAll(COOKIES), ([, name, value = '']) => ({ name, value }))
  const own = cookies.filter(({ name }) => name === HOST_COOKIE_NAME || !isSecure(app))
  const values = new Set(own.map(({ value }) => value))
  return values.size === 0 ? undefined : hash('sha256', JSON.stringify([...values, 'confirmed']), 'base64url')
}

// By plain http browsers keep no `Secure` cookie, and a callback that is only a path does not tell the scheme. By https a
// sister subdomain can plant a cookie, but none with the prefix.
function isSecure({ appOrigin }: AppOrigin): boolean {
  return appOrigin?.startsWith('https:') === true
}
