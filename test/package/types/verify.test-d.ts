// Compiled, but never run: every line must compile, except those marked otherwise.
import {
  type Profile,
  Strategy,
  type TokenResponse,
  type VerifyFunction,
  type VerifyFunctionWithParams,
  type VerifyFunctionWithRequestAndParams,
} from 'passport-social-login'
import { type Equal, options, same } from './support'

// Without passReqToCallback: token, undefined, profile, done.
new Strategy(options, (...args) => {
  same<Equal<typeof args, Parameters<VerifyFunction>>>(true)
  return false
})
new Strategy(options, async (accessToken, refreshToken, profile) => {
  same<Equal<typeof accessToken, string>>(true)
  same<Equal<typeof refreshToken, string | undefined>>(true)
  same<Equal<typeof profile, Profile>>(true)
  return { id: profile.id }
})
new Strategy(options, (_accessToken, _refreshToken, profile, done) => {
  done(null, { id: profile.id })
  done(null, false, { message: 'Not yet.' })
  done(null, false, 'Not yet.')
  done(new Error('database'))
  // @ts-expect-error a user is not a number
  done(null, 42, 'info', 'more')
})

// With it: Express's request comes first.
new Strategy({ ...options, passReqToCallback: true }, (req, _accessToken, _refreshToken, profile, done) => {
  same<Equal<typeof profile, Profile>>(true)
  const path: string = req.path
  // @ts-expect-error the request is not any
  const nothing: string = req.there_is_no_such_thing
  done(null, { path, nothing })
})
// @ts-expect-error the request is passed only with passReqToCallback
new Strategy(options, (req, _accessToken, _refreshToken, profile: Profile, _done) => ({ req, profile }))

// With the exchange's response: needs a declared type, because the number of parameters selects it.
const withParams: VerifyFunctionWithParams = (_accessToken, _refreshToken, params, profile, done) => {
  same<Equal<typeof params, TokenResponse>>(true)
  const token: string = params.access_token
  done(null, { token, id: profile.id })
}
new Strategy(options, withParams)
const withBoth: VerifyFunctionWithRequestAndParams = (req, _accessToken, _refreshToken, params, profile, done) => {
  done(null, { path: req.path, id: profile.id, params })
}
new Strategy({ ...options, passReqToCallback: true }, withBoth)
// @ts-expect-error the type of verify expects the request, but the options do not pass it
new Strategy(options, withBoth)

// The user's type is the application's: Express.User by default, or its own.
interface Person {
  readonly id: string
}
export const ofPerson: VerifyFunction<Person> = async (_accessToken, _refreshToken, profile) => ({ id: profile.id })
// @ts-expect-error no person
export const ofNobody: VerifyFunction<Person> = async (_accessToken, _refreshToken, profile) => ({ name: profile.id })
new Strategy(options, ofPerson)
