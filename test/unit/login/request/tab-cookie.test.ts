import { tabCookies } from '../../../../lib/login/request/tab-cookie'

test.each([
  ['https://app.example', true],
  ['http://app.example', false],
  [undefined, false],
])('at the origin %s, the cookie of a tab is sent only with Secure: %s', (appOrigin, isSecure) => {
  const [secure, plain, ...others] = tabCookies({ appOrigin })
  expect(secure).toMatch(/^__Host-social-login-tab=[\w-]{22}; Max-Age=10; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  expect(plain).toBe(isSecure ? undefined : secure?.replace(/^__Host-|; Secure/g, ''))
  expect(others).toStrictEqual([])
})
