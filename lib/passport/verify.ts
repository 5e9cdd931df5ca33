import { types } from 'node:util'
import { SocialLoginError } from '../errors'
import type { ExchangedLogin, LoginInfo, Verdict } from '../login/context'
import { isThenable } from '../promises'
import { warnOnce } from '../warnings'
import type { StrategySettings } from './options'
import type { AnyVerifyFunction, Request } from './verify-types'

const RETURNED_NOTHING =
  'The verify function returned nothing: return a user, or false (or null) if this user may not sign in.'

type VerifySettings = Pick<StrategySettings, 'passReqToCallback' | 'verifyTimeout'>

/**
 * Calls the application's verify function for a login. If it gets the request, the login's info is at `req.authInfo`
 * already; that stays only if it accepts the user, because later handlers take it for a sign of a login.
 * @throws SocialLoginError `verify_timeout`, or the application's own error
 */
export async function callVerify(
  verify: AnyVerifyFunction,
  req: Request,
  login: ExchangedLogin,
  loginInfo: LoginInfo,
  settings: VerifySettings,
): Promise<Verdict> {
  if (!settings.passReqToCallback) return waitForVerdict(verify, req, login, settings)
  const { authInfo } = req
  let verdict: Verdict | undefined
  Object.assign(req, { authInfo: loginInfo })
  try {
    verdict = await waitForVerdict(verify, req, login, settings)
    return verdict
  } finally {
    if (!verdict?.user) Object.assign(req, { authInfo })
  }
}

// Waits for the first answer of a verify function of any shape. One that declares `done` is expected to call it: of
// what it returns only a real promise counts, because `(…, done) => users.find(id, done)` returns whatever `find` does.
// One that declares no `done` answers by what it returns. One of length 0 may do both: NestJS wraps verify in
// `async (...args)`, which calls `done` and returns nothing.
function waitForVerdict(
  verify: AnyVerifyFunction,
  req: Request,
  { params, profile }: ExchangedLogin,
  { passReqToCallback, verifyTimeout }: VerifySettings,
): Promise<Verdict> {
  // The number of declared parameters after `req`: 4 with `done`, 5 with `params` as well; `(...args)` declares none.
  const declared = verify.length - (passReqToCallback ? 1 : 0)
  const mayCallDone = verify.length === 0 || declared >= 4
  return new Promise((resolve, reject) => {
    let isSettled = false
    let timer: NodeJS.Timeout | undefined
    const settle = (answer: () => void): void => {
      if (isSettled) return warnOnce('VERIFY_SETTLED_TWICE')
      isSettled = true
      clearTimeout(timer)
      answer()
    }
    const end = (): void => settle(() => reject(new SocialLoginError('verify_timeout', 'verify')))
    const accept = (user: unknown, info?: unknown): void => settle(() => resolve({ user, info }))
    const fail = (error: unknown): void => settle(() => reject(error))
    const done = (error?: unknown, user?: unknown, info?: unknown): void => {
      if (error) fail(error)
      else if (isThenable(user)) fail(new TypeError('The verify function passed a promise to done: await it first.'))
      else accept(user, info)
    }
    const returned = (user: unknown): void => {
      if (user !== undefined) accept(user)
      // Returning nothing is not an answer while the function may still call done; else a `return` was forgotten.
      else if (!mayCallDone) fail(new TypeError(RETURNED_NOTHING))
    }
    try {
      const token = params.access_token
      const args = declared === 5 ? [token, undefined, params, profile, done] : [token, undefined, profile, done]
      const result: unknown = Reflect.apply(verify, undefined, passReqToCallback ? [req, ...args] : args)
      // `Promise.resolve` unwraps nested thenables, so that a promise is never taken for a user.
      if (types.isPromise(result) || declared < 4) Promise.resolve(result).then(returned, fail)
    } catch (error) {
      fail(error)
    }
    if (!isSettled) timer = setTimeout(end, verifyTimeout)
  })
}
