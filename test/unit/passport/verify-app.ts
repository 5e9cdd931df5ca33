import type { ErrorRequestHandler, RequestHandler } from 'express'
import type { LoginInfo } from '../../../lib/login/context'
import { Strategy } from '../../../lib/passport/strategy'
import { useLogins } from '../../support/logins'

/** The response to the callback. */
export interface LoginAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Starts a provider for all tests. @returns a function that signs user 1 in to an application with this verify
 * function, untyped as in plain JavaScript
 */
export function useVerify(): (verify: unknown, options?: object) => Promise<LoginAnswer> {
  const logins = useLogins('all tests')
  return async (verify, options) => {
    const app = await logins.startApp({
      newStrategy: (settings) => Reflect.construct(Strategy, [{ ...settings, ...options }, verify]),
      before: (server, passport) => {
        server.get('/callback', passport.authenticate('social-login', { failWithError: true }), answerUser)
        server.use('/callback', answerPassed, answerError)
      },
    })
    const { status, body } = await app.logIn()
    return { status, body: JSON.parse(body) }
  }
}

const answerUser: RequestHandler = (req, res) => {
  // The info of the verify function, without the strategy's additions.
  const { assurance: _, ...info }: Partial<LoginInfo> = { ...req.authInfo }
  res.json({ user: req.user, info })
}

const answerPassed: RequestHandler = (_req, res) => {
  res.status(418).json({ passed: true })
}

const answerError: ErrorRequestHandler = (error, req, res, _next) => {
  const { name, message, code } = error ?? {}
  res.status(error?.status ?? 500).json({ name, message, code, info: req.authInfo })
}
