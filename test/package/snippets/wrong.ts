// What is wrong, and a part of the error that must say so.
import passport from 'passport'
import {
  CookieStore,
  type PendingLoginStore,
  type Profile,
  SocialLoginClient,
  type SocialLoginError,
  Strategy,
  type StrategyOptions,
  type VerifyFunction,
  type VerifyFunctionWithRequestAndParams,
} from 'passport-social-login'
import type { FakeProvider } from 'passport-social-login/testing'
import { SocialLogin, type SuccessResult } from 'passport-social-login/web'

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
// error: Type '{ name: string; }' is not assignable to type
export const other: VerifyFunction = async (_accessToken, _refreshToken, profile) => ({ name: profile.displayName })
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
// error: Property 'displayName' does not exist on type 'User'
export type OnUser = Express.User['displayName']
// error: Argument of type '42' is not assignable to parameter of type 'false | User
new Strategy(options, (_accessToken, _refreshToken, _profile, done) => done(null, 42))
// error: Property 'nothing' does not exist on type 'Request
new Strategy({ ...options, passReqToCallback: true }, ({ nothing }) => nothing)
declare const withBoth: VerifyFunctionWithRequestAndParams
// error: Target signature provides too few arguments. Expected 6 or more, but got 4
new Strategy(options, withBoth)
// error: Property 'callbackURL' does not exist on type 'SocialLoginClient'
new SocialLoginClient(options).callbackURL
// error: Argument of type '"me"' is not assignable to parameter of type 'ProfileEndpoint'
void new SocialLoginClient(options).fetchUser('me', 'token')
// error: This comparison appears to be unintentional
export const isFailed = ({ code }: SocialLoginError): boolean => code === 'login_failed'
// error: Argument of type '"token"' is not assignable to parameter of type 'Endpoint'
export const failToken = (provider: FakeProvider): void => provider.failNext('token', { status: 500 })

const keys = ['a'.repeat(32)]
const login = new SocialLogin({ ...options, keys })
declare const request: Request
declare const success: SuccessResult
declare const store: PendingLoginStore<Request>
declare const storeOfNode: PendingLoginStore
// error: Expected 2 arguments, but got 1
void login.start(request)
// error: Argument of type 'string' is not assignable to parameter of type 'Request'
void login.start('https://app.example/auth', { user: null })
// error: Argument of type '{}' is not assignable to parameter of type 'CallbackOptions'
void login.callback(request, {})
// error: Type '{ id: string; }' is not assignable to type 'UserID'
void login.callback(request, { user: { id: 'ada' } })
// error: 'returnTo' does not exist in type
void login.callback(request, { user: null, returnTo: '/inbox' })
// error: Property 'profile' does not exist on type 'CallbackResult'
void login.callback(request, { user: null }).then(({ profile }) => profile)
// error: Property 'response' does not exist on type 'CallbackResult'
void login.callback(request, { user: null }).then(({ response }) => response)
// error: Argument of type 'string | undefined' is not assignable to parameter of type 'string'
success.redirect(success.info.returnTo)
// error: Argument of type 'string' is not assignable to parameter of type 'Response'
success.finish('/inbox')
// error: is not assignable to parameter of type 'MultiProviderSocialLoginOptions | SocialLoginOptions'
new SocialLogin(options)
// error: is not assignable to parameter of type 'MultiProviderSocialLoginOptions | SocialLoginOptions'
new SocialLogin({ ...options, keys, store })
// error: Type 'PendingLoginStore<IncomingMessage>' is not assignable to type 'PendingLoginStore<Request>'
new SocialLogin({ ...options, store: storeOfNode })
// error: 'verifyTimeout' does not exist in type
new SocialLogin({ ...options, keys, verifyTimeout: 1000 })
