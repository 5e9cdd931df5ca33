import { hash, randomBytes } from 'node:crypto'
import { AFTER_TAB_LOGIN_MS } from '../../limits'
import { cookieValues, setCookie } from './cookies'

// Under `tabBinding`, our own form sends the callback, so browsers call its redirects same-origin, even one to a start
// that a foreign link chose as `returnTo`. These cookies of the callback tell every start that follows within
// `AFTER_TAB_LOGIN_MS`, of any strategy, store and process, that perhaps no one has clicked.
const PLAIN_NAME = 'social-login-tab'
const NAME = `__Host-${PLAIN_NAME}`

interface AppOrigin {
  readonly appOrigin: string | undefined
}

/** Values of `Set-Cookie` for the response to a callback that a tab's form has sent. */
export function tabCookies(app: AppOrigin): string[] {
  const value = randomBytes(16).toString('base64url')
  return namesFor(app).map((name) => setCookie(name, value, AFTER_TAB_LOGIN_MS / 1000, name === NAME))
}

/**
 * What a start that may follow the callback of a tab at once must carry, to show that a user has confirmed it; undefined
 * if it follows none. No link can know the value. Anyone who plants the cookie gains a confirm page: all values count, because
 * by plain http, and in browsers that do not enforce the prefix, a planted one may come before the genuine one.
 */
export function confirmationAfterTab(header: string, app: AppOrigin): string | undefined {
  const values = new Set(namesFor(app).flatMap((name) => cookieValues(header, name)))
  return values.size === 0 ? undefined : hash('sha256', JSON.stringify([...values, 'confirmed']), 'base64url')
}

// By plain http browsers keep no `Secure` cookie, and a callback that is only a path does not tell the scheme. By https a
// sister subdomain can plant a cookie, but none with the prefix.
function namesFor({ appOrigin }: AppOrigin): readonly string[] {
  return appOrigin?.startsWith('https:') ? [NAME] : [NAME, PLAIN_NAME]
}
