import passport from 'passport'
import {
  type AuthenticateOptions,
  CookieStore,
  type LoginInfo,
  SessionStore,
  Strategy,
  type StrategyOptions,
} from 'passport-social-login'
import { type Equal, options, same } from './support'

const verify = () => false as const

// Passport accepts the strategy, and the per-call options, without a cast.
const start: AuthenticateOptions = {
  returnTo: '/inbox',
  state: 'cart-7',
  callbackURL: '/auth/callback',
  session: false,
}
passport.use(new Strategy(options, verify))
passport.authenticate('social-login', start)
passport.authenticate(new Strategy(options, verify), start)
passport.authorize('social-login', start)
passport.authenticate('social-login', { failureRedirect: '/login', failureMessage: true })
// @ts-expect-error a misspelt option is detected
export const misspelt: AuthenticateOptions = { returnto: '/inbox' }
// @ts-expect-error a path, not a flag
export const flag: AuthenticateOptions = { returnTo: true }

new Strategy({ ...options, profileEndpoint: 'get_user_info', unverifiedStart: 'refuse', timeout: 5000 }, verify)
new Strategy({ ...options, store: new CookieStore({ keys: ['a'.repeat(32)] }) }, verify)
new Strategy({ ...options, store: new SessionStore() }, verify)
new Strategy({ ...options, skipUserProfile: async (accessToken) => accessToken.length > 9 }, verify)
new Strategy({ ...options, confirmPage: ({ path }) => `<a href="${path}">Go on</a>` }, verify)
new Strategy({ ...options, userRecord: (json) => json.response.profile }, verify)

new Strategy({ ...options, profileEndpoint: 'auto', exchangeMethod: 'get', userAgent: 'MyApp/1.0' }, verify)

// @ts-expect-error there is no such option
new Strategy({ ...options, scope: 'email' }, verify)
// @ts-expect-error not one of the endpoints
new Strategy({ ...options, profileEndpoint: 'me' }, verify)
// @ts-expect-error not one of the two methods
new Strategy({ ...options, exchangeMethod: 'GET' }, verify)
// @ts-expect-error a User-Agent is text
new Strategy({ ...options, userAgent: true }, verify)
// @ts-expect-error milliseconds are a number
new Strategy({ ...options, timeout: '5s' }, verify)
// @ts-expect-error a store is not a flag, as it is in passport-oauth2
new Strategy({ ...options, store: true }, verify)
// @ts-expect-error no clientSecret
export const incomplete: StrategyOptions = { baseURL: 'https://a.example/v1', clientID: 'id', callbackURL: '/cb' }

export function info(of: LoginInfo): void {
  same<Equal<typeof of.assurance.age, number>>(true)
  same<Equal<typeof of.state, unknown>>(true)
}

// The user of an application is its own.
// @ts-expect-error not on Express.User
export type OnUser = Express.User['displayName']
