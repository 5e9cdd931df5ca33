/**
 * @typedef {object} Contender
 * @property {string} title as the tables show it
 * @property {string} module file beside this one
 * @property {object} [options] given to the module
 * @property {string} [startPath]
 * @property {string} [callbackPath]
 * @property {string} [keyParameter] the callback's parameter that holds the one-time key
 * @property {object} [startBody] posted to the start as JSON; without it the start is a link
 * @property {string} [csrfPath] where to get the token that is posted to the start as a form
 */

/** @type {Record<string, Contender>} */
export const contenders = {
  bare: { title: 'bare node:http + two undici calls', module: 'bare.js' },
  oauth2: { title: 'passport-oauth2 subclass', module: 'passport-oauth2.js' },
  openid: { title: "openid-client's strategy", module: 'openid-client.js', keyParameter: 'code' },
  grant: {
    title: 'grant',
    module: 'grant.js',
    startPath: '/connect/social',
    callbackPath: '/connect/social/callback',
    keyParameter: 'code',
  },
  ours: { title: 'passport-social-login', module: 'ours.js' },
  cookie: { title: '... with CookieStore', module: 'ours.js', options: { cookieStore: true } },
  bareFetch: { title: 'bare Request + two undici calls', module: 'bare-fetch.js' },
  web: { title: 'passport-social-login/web', module: 'web.js' },
  authjs: {
    title: 'Auth.js',
    module: 'authjs.js',
    startPath: '/auth/signin/social',
    callbackPath: '/auth/callback/social',
    keyParameter: 'code',
    csrfPath: '/auth/csrf',
  },
  betterAuth: {
    title: 'better-auth',
    module: 'better-auth.js',
    startPath: '/api/auth/sign-in/social',
    callbackPath: '/api/auth/callback/social',
    keyParameter: 'code',
    startBody: { provider: 'social', callbackURL: '/' },
  },
}

/** Those that speak Request and Response, behind one listener, without Express. */
export const WEB = ['bareFetch', 'web', 'authjs', 'betterAuth']

/** @returns {Contender} */
export function contender(name) {
  const found = contenders[name]
  if (!found) throw new Error(`no contender ${name}`)
  return { startPath: '/login', callbackPath: '/callback', keyParameter: 'auth_key', ...found }
}
