// Compiled, but never run: every line must compile, except those marked otherwise.
import type { Profile } from 'passport-social-login'
import {
  type CallbackResult,
  type LoginInfo,
  type OutcomeCode,
  type PendingLoginStore,
  SocialLogin,
  type SocialLoginOptions,
} from 'passport-social-login/web'
import { type Equal, options, same } from './support'

const keys = ['a'.repeat(32)]
const login = new SocialLogin({ ...options, keys })
declare const request: Request
declare const store: PendingLoginStore<Request>
declare const storeOfNode: PendingLoginStore

export async function results(): Promise<Response> {
  same<Equal<Awaited<ReturnType<typeof login.start>>, Response>>(true)
  const result: CallbackResult = await login.callback(request, { user: 'ada' })
  // @ts-expect-error only a success has a profile
  result.profile
  // @ts-expect-error a success has no response: the application signs the person in
  result.response
  if (result.type === 'failure' || result.type === 'error') {
    same<Equal<typeof result.code, OutcomeCode>>(true)
    same<Equal<typeof result.status, number>>(true)
    same<Equal<typeof result.message, string>>(true)
  }
  if (result.type !== 'success') return result.response
  same<Equal<typeof result.profile, Profile>>(true)
  same<Equal<typeof result.accessToken, string>>(true)
  same<Equal<typeof result.info, LoginInfo>>(true)
  same<Equal<typeof result.headers, Headers>>(true)
  same<Equal<ReturnType<typeof result.redirect>, Response>>(true)
  // @ts-expect-error a path, which a login without returnTo has not
  result.redirect(result.info.returnTo)
  // @ts-expect-error a Response
  result.finish('/inbox')
  return result.finish(result.redirect(result.info.returnTo ?? '/'))
}

for (const user of ['ada', 1, 1n, null, undefined]) void login.start(request, { user })
void login.start(request, { user: null, returnTo: '/inbox', state: { cart: 7 }, callbackURL: '/link/callback' })
void login.start(request, { user: null, returnTo: new URL('https://app.example/').searchParams.get('next') })
void login.pendingLogin(request, { user: null }).then((pending) => pending?.returnTo?.length)
void login.close()

// @ts-expect-error who is signed in cannot be forgotten
void login.start(request)
// @ts-expect-error who is signed in cannot be forgotten
void login.callback(request, {})
// @ts-expect-error the id of the user, not the user
void login.callback(request, { user: { id: 'ada' } })
// @ts-expect-error there is no returnTo at the callback
void login.callback(request, { user: null, returnTo: '/inbox' })
// @ts-expect-error a Request, not its URL
void login.start('https://app.example/auth', { user: null })

new SocialLogin({ ...options, store })
new SocialLogin({ ...options, keys, failureRedirect: '/login', successRedirect: '/', tabBinding: true })
new SocialLogin({ ...options, keys, failureRedirect: ({ code }) => `/login?error=${code}` })
// @ts-expect-error neither keys nor a store
new SocialLogin(options)
// @ts-expect-error one of the two
new SocialLogin({ ...options, keys, store })
// @ts-expect-error a store over the requests of Node
new SocialLogin({ ...options, store: storeOfNode })
// @ts-expect-error of the strategy: there is no verify function
new SocialLogin({ ...options, keys, verifyTimeout: 1000 })
// @ts-expect-error no callbackURL
export const incomplete: SocialLoginOptions = {
  baseURL: 'https://a.example/v1',
  clientID: 'id',
  clientSecret: 's',
  keys,
}
