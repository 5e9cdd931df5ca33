// What is wrong, and a part of the error that must say so.
import passport from 'passport'
import { CookieStore, type Profile, Strategy, type StrategyOptions } from 'passport-social-login'

declare global {
  namespace Express {
    interface User {
      id: string
    }
  }
}

const options = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 's', callbackURL: '/cb' }
const verify = () => false as const

// error: 'returnto' does not exist in type 'AuthenticateOptions'. Did you mean to write 'returnTo'?
passport.authenticate('social-login', { returnto: '/x' })
// error: Type 'boolean' is not assignable to type 'string'
passport.authenticate('social-login', { returnTo: true })
// error: 'scope' does not exist in type 'StrategyOptions<false>'
new Strategy({ ...options, scope: 'email' }, verify)
// error: 'callbackUrl' does not exist in type 'StrategyOptions<false>'. Did you mean to write 'callbackURL'?
new Strategy({ baseURL: 'https://a.example/v1', clientID: 'id', clientSecret: 's', callbackUrl: '/cb' }, verify)
// error: Property 'clientSecret' is missing
new Strategy({ baseURL: 'https://a.example/v1', clientID: 'id', callbackURL: '/cb' }, verify)
// error: Type '"me"' is not assignable to type 'ProfileEndpoint
new Strategy({ ...options, profileEndpoint: 'me' }, verify)
// error: Type '"GET"' is not assignable to type 'ExchangeMethod
new Strategy({ ...options, exchangeMethod: 'GET' }, verify)
// error: Type 'boolean' is not assignable to type 'string'
new Strategy({ ...options, userAgent: true }, verify)
// error: Type 'string' is not assignable to type 'number'
new Strategy({ ...options, timeout: '5s' }, verify)
// error: Type 'boolean' is not assignable to type 'PendingLoginStore<IncomingMessage>'
new Strategy({ ...options, store: true }, verify)
// error: Expected 2 arguments, but got 1
new Strategy(options)
// error: Type '{ name: string; }' is not assignable to type 'void | false | User
new Strategy(options, async (_accessToken, _refreshToken, profile) => ({ name: profile.displayName }))
// error: Types of parameters '_profile' and 'profile' are incompatible
new Strategy(options, (_accessToken: string, _refreshToken: string, _profile: number) => false)
// error: Property 'email' does not exist on type 'Profile'
new Strategy(options, async (_accessToken, _refreshToken, profile) => ({ id: profile.email }))
// error: Property 'keys' is missing
new CookieStore({})
// error: Property 'callbackURL' is missing
export const incomplete: StrategyOptions = { baseURL: 'https://a.example/v1', clientID: 'id', clientSecret: 's' }
// error: Property 'verified' does not exist on type 'Profile'
export const verified = (profile: Profile): unknown => profile.verified
