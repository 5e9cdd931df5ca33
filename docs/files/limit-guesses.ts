import type { RequestHandler, Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'
import passport from 'passport'
import type { OutcomeCode } from 'passport-social-login'
import { RateLimiterMemory } from 'rate-limiter-flexible'

const MAX_REJECTED = 10

/**
 * Finishes a login, as `passport.authenticate(strategy, { failureRedirect })` does, for addresses that have not had ten keys
 * rejected within ten minutes.
 */
export function authenticateLimited(strategy: string, failureRedirect: string): RequestHandler {
  const rejected = new RateLimiterMemory({ points: MAX_REJECTED, duration: 10 * 60 })
  const underWay = new Map<string, Set<Response>>()

  return async (req, res, next) => {
    // Counts all addresses of one IPv6 network as one.
    const address = ipKeyGenerator(req.ip ?? '')
    const guesses = underWay.get(address) ?? new Set()
    // The package has answered these itself, such as a prefetch: not guesses, even if the responses are never read.
    for (const other of guesses) if (other.writableEnded) guesses.delete(other)
    // Counted before the provider is asked, so that simultaneous guesses do not all pass.
    const { size } = guesses.add(res)
    underWay.set(address, guesses)
    const release = (): void => {
      clearTimeout(timer)
      if (guesses.delete(res) && guesses.size === 0) underWay.delete(address)
    }
    // Not `close`: a guess stays one when the visitor has left.
    res.once('finish', release)
    const timer = setTimeout(release, 15_000).unref()
    try {
      const { consumedPoints = 0 } = (await rejected.get(address)) ?? {}
      if (consumedPoints + size > MAX_REJECTED) {
        release()
        return void res.status(429).send('Please try again later.')
      }
    } catch (failure) {
      release()
      return next(failure) // Express 4 would end the process instead.
    }
    passport.authenticate(
      strategy,
      async (error: unknown, user?: Express.User | false | null, info?: { code?: OutcomeCode }) => {
        // Passport does not wait for what this function promises: nothing may be thrown out of it.
        try {
          // Only what the provider refuses costs anything, not reloads, outages or good logins.
          if (info?.code === 'auth_key_rejected') await rejected.penalty(address)
        } catch (failure) {
          return next(failure)
        } finally {
          release()
        }
        if (error) return next(error)
        if (user) return req.logIn(user, next)
        res.redirect(failureRedirect)
      },
    )(req, res, next)
  }
}
