import type { Request as ExpressRequest, RequestHandler } from 'express'
import type { AuthenticateOptions, Profile } from '../../lib'
import type { StartOptions } from '../../lib/web'
import { fetchRoute } from './fetch-routes'
import type { AnyLogin } from './remote-login'

/** What an application records of its logins. */
export interface Records {
  readonly errors: unknown[]
  readonly profiles: Profile[]
}

/** A route for SocialLogin in an Express application, whose users and sessions are Passport's. */
export function webStart(login: AnyLogin, options: AuthenticateOptions): RequestHandler {
  return fetchRoute((request, req) => login.start(request, { user: userOf(req), ...perCall(options) }))
}

/** The route of the callback: signs the user in, and leaves the reason of a failure in the session. */
export function webCallback(login: AnyLogin, options: AuthenticateOptions, records: Records): RequestHandler {
  return fetchRoute(async (request, req) => {
    const { callbackURL } = options
    const result = await login.callback(request, { user: userOf(req), callbackURL })
    switch (result.type) {
      case 'success': {
        const { profile, info, headers } = result
        records.profiles.push(profile)
        await signIn(req, { id: profile.id })
        return Response.json({ user: req.user, info }, { headers })
      }
      case 'error':
        records.errors.push(result.error)
        return result.response
      case 'failure':
        Object.assign(req.session, { messages: [result.message] })
        return result.response
      case 'response':
        return result.response
    }
  })
}

function perCall({ returnTo, state, callbackURL }: AuthenticateOptions): Omit<StartOptions, 'user'> {
  return { returnTo, state, callbackURL }
}

function userOf({ user }: ExpressRequest): string | undefined {
  const id: unknown = Reflect.get(Object(user), 'id')
  return typeof id === 'string' ? id : undefined
}

function signIn(req: ExpressRequest, user: Express.User): Promise<void> {
  return new Promise((resolve, reject) => req.logIn(user, (error) => (error ? reject(error) : resolve())))
}
