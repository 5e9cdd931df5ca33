const AUTH_KEY = /^[\x21-\x7e]{1,512}$/

/** Whether the value can be an `auth_key`. Deployed servers use 32 hexadecimal digits; nothing promises that. */
export function isAuthKey(value: unknown): value is string {
  return typeof value === 'string' && AUTH_KEY.test(value)
}
