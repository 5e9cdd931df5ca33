import { randomBytes } from 'node:crypto'
import { AFTER_TAB_LOGIN_MS } from '../../limits'
import { digest } from './pending-login'

// Under `tabBinding`, our own form sends the callback, so browsers call its redirects same-origin, even one to a start
// that a foreign link chose as `returnTo`. These cookies of the callback tell every start that follows within
// `AFTER_TAB_LOGIN_MS`, of any strategy, store and process, that perhaps nobody has clicked.
const PLAIN_NAME = 'social-login-tab'
const NAME = `__Host-${PLAIN_NAME}`
const VALUES = new RegExp(`(?:^|;)[ \\t]*(${NAME}|${PLAIN_NAME})=([^;]*)`, 'g')

interface AppOrigin {
  readonly appOrigin: string | undefined
}

/** Values of `Set-Cookie` for the response to a callback that a tab's form has sent. */
export function tabCookies(app: AppOrigin): string[] {
  const rest = `=${randomBytes(16).toString('base64url')}; Max-Age=${AFTER_TAB_LOGIN_MS / 1000}; Path=/; HttpOnly; SameSite=Lax`
  return [`${NAME}${rest}; Secure`, ...(isSecure(app) ? [] : [PLAIN_NAME + rest])]
}

/**
 * What a start that may follow the callback of a tab at once must carry, to show that a person has confirmed it; undefined
 * if it follows none. No link can know the value. Whoever plants the cookie gains a confirm page: all values count, because
 * by plain http, and in browsers that do not enforce the prefix, a planted one may come before the genuine one.
 */
export function confirmationAfterTab(header = '', app: AppOrigin): string | undefined {
  const cookies = Array.from(header.matchAll(VALUES), ([, name, value = '']) => ({ name, value }))
  const own = cookies.filter(({ name }) => name === NAME || !isSecure(app))
  const values = new Set(own.map(({ value }) => value))
  return values.size === 0 ? undefined : digest(...values, 'confirmed')
}

// By plain http browsers keep no `Secure` cookie, and a callback that is only a path does not tell the scheme. By https a
// sister subdomain can plant a cookie, but none with the prefix.
function isSecure({ appOrigin }: AppOrigin): boolean {
  return appOrigin?.startsWith('https:') === true
}
