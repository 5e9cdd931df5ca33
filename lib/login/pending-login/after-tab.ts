import { randomBytes } from 'node:crypto'
import { AFTER_TAB_LOGIN_MS } from '../../limits'
import { digest } from './pending-login'

// Under `tabBinding`, our own form sends the callback, so browsers call its redirects same-origin, even one to a start
// that a foreign link chose as `returnTo`. These cookies of the callback tell every start that follows within
// `AFTER_TAB_LOGIN_MS`, of any strategy, store and process, that perhaps nobody has clicked.
const NAME = 'social-login-tab'
const COOKIES = new RegExp(`(?:^|;)[ \\t]*(?:__Host-)?${NAME}=([^;]*)`, 'g')

interface AppOrigin {
  readonly appOrigin: string | undefined
}

/** Values of `Set-Cookie` for the response to a callback that a tab's form has sent. */
export function tabCookies({ appOrigin }: AppOrigin): string[] {
  const end = `${NAME}=${randomBytes(16).toString('base64url')}; Max-Age=${AFTER_TAB_LOGIN_MS / 1000}; Path=/; HttpOnly; SameSite=Lax`
  // By plain http browsers keep no `Secure` cookie, and a callback that is only a path does not tell the scheme.
  return [`__Host-${end}; Secure`, ...(appOrigin?.startsWith('https:') ? [] : [end])]
}

/**
 * What a start that may follow the callback of a tab at once must carry, to show that a person has confirmed it; undefined
 * if it follows none. No link can know the value. Whoever plants the cookie gains a confirm page: all values count, because
 * by plain http, and in browsers that do not enforce the prefix, a planted one may come before the genuine one.
 */
export function confirmationAfterTab(header = ''): string | undefined {
  const values = new Set(Array.from(header.matchAll(COOKIES), ([, value = '']) => value))
  return values.size === 0 ? undefined : digest(...values, 'confirmed')
}
